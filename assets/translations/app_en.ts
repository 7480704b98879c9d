<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
  <context>
    <name>app</name>
    <message numerus="yes">
      <source>%n answer(s) are still being written.</source>
      <translation>
        <numerusform>%n answer is still being written.</numerusform>
        <numerusform>%n answers are still being written.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n bit(s)</source>
      <translation>
        <numerusform>%n bit</numerusform>
        <numerusform>%n bits</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n block(s)</source>
      <translation>
        <numerusform>%n block</numerusform>
        <numerusform>%n blocks</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n block(s) lie in RAM until there is room again</source>
      <translation>
        <numerusform>%n block lies in RAM until there is room again</numerusform>
        <numerusform>%n blocks lie in RAM until there is room again</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s)</source>
      <translation>
        <numerusform>%n chat</numerusform>
        <numerusform>%n chats</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) at once</source>
      <translation>
        <numerusform>%n chat at once</numerusform>
        <numerusform>%n chats at once</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) imported</source>
      <translation>
        <numerusform>%n chat imported</numerusform>
        <numerusform>%n chats imported</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) of {length} tokens</source>
      <translation>
        <numerusform>%n chat of {length} tokens</numerusform>
        <numerusform>%n chats of {length} tokens</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) written in since lie in the trash</source>
      <translation>
        <numerusform>%n chat written in since lies in the trash</numerusform>
        <numerusform>%n chats written in since lie in the trash</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n core(s)</source>
      <translation>
        <numerusform>%n core</numerusform>
        <numerusform>%n cores</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n download(s)</source>
      <translation>
        <numerusform>%n download</numerusform>
        <numerusform>%n downloads</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n let in again</source>
      <translation>
        <numerusform>%n let in again</numerusform>
        <numerusform>%n let in again</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n message(s)</source>
      <translation>
        <numerusform>%n message</numerusform>
        <numerusform>%n messages</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n model(s) found, the most downloaded first</source>
      <translation>
        <numerusform>%n model found</numerusform>
        <numerusform>%n models found, the most downloaded first</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n model(s) found. To use one, it is converted; the file stays as it is.</source>
      <translation>
        <numerusform>%n model found. To use it, it is converted; the file stays as it is.</numerusform>
        <numerusform>%n models found. To use one, it is converted; the file stays as it is.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n more are in use or pinned, and stay.</source>
      <translation>
        <numerusform>%n more is in use or pinned, and stays.</numerusform>
        <numerusform>%n more are in use or pinned, and stay.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n prompt(s) are not saved.</source>
      <translation>
        <numerusform>%n prompt is not saved.</numerusform>
        <numerusform>%n prompts are not saved.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n step(s) of {time} ms</source>
      <translation>
        <numerusform>%n step of {time} ms</numerusform>
        <numerusform>%n steps of {time} ms</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n swapped out</source>
      <translation>
        <numerusform>%n swapped out</numerusform>
        <numerusform>%n swapped out</numerusform>
      </translation>
    </message>
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
    <message numerus="yes">
      <source>%n to be computed again</source>
      <translation>
        <numerusform>%n to be computed again</numerusform>
        <numerusform>%n to be computed again</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n token(s) of answers</source>
      <translation>
        <numerusform>%n token of answers</numerusform>
        <numerusform>%n tokens of answers</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n token(s) of prompts</source>
      <translation>
        <numerusform>%n token of prompts</numerusform>
        <numerusform>%n tokens of prompts</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Delete %n model(s) in the trash for good?</source>
      <translation>
        <numerusform>Delete %n model in the trash for good?</numerusform>
        <numerusform>Delete %n models in the trash for good?</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Dropped %n block(s).</source>
      <translation>
        <numerusform>Dropped %n block.</numerusform>
        <numerusform>Dropped %n blocks.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Fits, with %n chat(s) of {length} tokens (about {words} words each)</source>
      <translation>
        <numerusform>Fits, with %n chat of {length} tokens (about {words} words)</numerusform>
        <numerusform>Fits, with %n chats of {length} tokens (about {words} words each)</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>In %n chat(s)</source>
      <translation>
        <numerusform>In %n chat</numerusform>
        <numerusform>In %n chats</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>In more than %n chat(s)</source>
      <translation>
        <numerusform>In more than %n chat</numerusform>
        <numerusform>In more than %n chats</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Of this length, %n fit(s) at once.</source>
      <translation>
        <numerusform>Of this length, %n fits at once.</numerusform>
        <numerusform>Of this length, %n fit at once.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Pinned: %n block(s), {size}.</source>
      <translation>
        <numerusform>Pinned: %n block, {size}.</numerusform>
        <numerusform>Pinned: %n blocks, {size}.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Swapped out, in RAM: {chats} of %n block(s)</source>
      <translation>
        <numerusform>Swapped out, in RAM: {chats} of %n block</numerusform>
        <numerusform>Swapped out, in RAM: {chats} of %n blocks</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>The first %n model(s), the most downloaded first</source>
      <translation>
        <numerusform>The first %n model, the most downloaded first</numerusform>
        <numerusform>The first %n models, the most downloaded first</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Unpin lets go of all that {pins} keeps: %n token(s).</source>
      <translation>
        <numerusform>Unpin lets go of all that {pins} keeps: %n token.</numerusform>
        <numerusform>Unpin lets go of all that {pins} keeps: %n tokens.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Unpin: this text and what follows, %n token(s).</source>
      <translation>
        <numerusform>Unpin: this text and what follows, %n token.</numerusform>
        <numerusform>Unpin: this text and what follows, %n tokens.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>fits, with %n chat(s) of {length} tokens</source>
      <translation>
        <numerusform>fits, with %n chat of {length} tokens</numerusform>
        <numerusform>fits, with %n chats of {length} tokens</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>median of %n answer(s)</source>
      <translation>
        <numerusform>one answer</numerusform>
        <numerusform>median of %n answers</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>pinned, %n block(s)</source>
      <translation>
        <numerusform>pinned, %n block</numerusform>
        <numerusform>pinned, %n blocks</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>up to %n waiting</source>
      <translation>
        <numerusform>up to %n waiting</numerusform>
        <numerusform>up to %n waiting</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>{day} · %n message(s) of “{chat}”</source>
      <translation>
        <numerusform>{day} · %n message of “{chat}”</numerusform>
        <numerusform>{day} · %n messages of “{chat}”</numerusform>
      </translation>
    </message>
  </context>
</TS>
