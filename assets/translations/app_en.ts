<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
  <context>
    <name>app</name>
    <message numerus="yes">
      <source>%n thread(s)</source>
      <translation>
        <numerusform>%n thread</numerusform>
        <numerusform>%n threads</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n thread(s) at the moment.</source>
      <translation>
        <numerusform>%n thread at the moment.</numerusform>
        <numerusform>%n threads at the moment.</numerusform>
      </translation>
    </message>
  </context>
</TS>
