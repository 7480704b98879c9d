<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
  <context>
    <name>app</name>
    <message numerus="yes">
      <source>%n thread(s)</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n thread(s) at the moment.</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>0 always takes the likeliest word.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>1 is off.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A file for a report of a fault: log, versions, machine and models, without any chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A file stands in the folder's place: move it away.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A folder stands in the file's place: move it away.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A model could not be made ready</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A note of the desktop, if an answer or a job ends while another window is in front.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>About and privacy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Another program has the file open: end that one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Answers at once</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Appearance</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>As the system</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Break the line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>CPU (reference)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Changes in this section hold once the engine is restarted, which ends running answers.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chats</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chats, models and settings stay in the data folder. Nothing is sent anywhere; the network is used only for what you ask for, such as a model's download.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check that you may read and write this file and its folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check the disk, or choose another data folder with --home.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chosen by the environment variable {name}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chosen here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chosen with --home.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Close tab</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Commands</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Commands that match</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy this code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Ctrl+plus, Ctrl+minus; Ctrl+0 resets.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Dark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Data folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Delete the chat chosen in the list</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Detach into a window of its own, or put back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Engine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Find a command</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Find a setting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>For keys and values of all chats. Automatic takes what is left beside the model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Free some space on this disk.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>From the chat's own text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Further ones wait for their turn.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>General</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Guess ahead</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Guesses are checked by the model: answers stay the same and come sooner.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hide</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hide this message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>High contrast</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Holds from the next start on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>In tokens. Automatic is up to 1,024, and less where the chat has nearly filled the model's context.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keep the computer awake while it works</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keys</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Language</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Larger text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Light</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Longest answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Memory for chats (MiB)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Memory for chats that wait (MiB)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Models</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Never</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next tab</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No setting has these words.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open the data folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Previous tab</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Privacy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Quit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rename the chat chosen in the list</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reopen the tab closed last</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Restart the engine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save diagnostics</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save diagnostics…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Send the message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show or hide the chats</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show or hide the memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Smaller text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stands before the first message of new chats.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Start DeepInfer again: it sets a damaged file aside.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Start DeepInfer again; if it goes on, choose another data folder with --home.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop the answer; leave a page</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>System prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Table</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tell me when something ends</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Temperature</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Text of the usual size</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>That compute. Automatic is one for each core.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The answer failed: {reason}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The diagnostics cannot be saved: {cause}. {advice}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The diagnostics were saved as {path}. No chat is in them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The disk can only be read: choose another data folder with --home.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The log, app.log, lies there too</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The model is ready</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The settings cannot be saved: {cause}. {advice}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The usual place on this system.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Theme</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This is the default.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Threads</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Top-p</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Try again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Use the default</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What do you want to do?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What it does</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Where a chat's blocks are kept while others need its place; 0 computes them again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>While an answer is written or a model is fetched. The screen may still go dark.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Zoom</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>automatic</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>engine: {state}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>loading, layer {layer} of {total}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>ready</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>starting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>stopped</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{count} running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{count} swapped out</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{count} waiting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{rate} tok/s together</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{setting}: use the default</source>
      <translation type="unfinished" />
    </message>
  </context>
</TS>
