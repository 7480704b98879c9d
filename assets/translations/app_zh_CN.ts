<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
  <context>
    <name>app</name>
    <message numerus="yes">
      <source>%n answer(s) are still being written.</source>
      <translation>
        <numerusform>还有 %n 条回答正在生成。</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n bit(s)</source>
      <translation>
        <numerusform>%n 位</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n block(s)</source>
      <translation>
        <numerusform>%n 个块</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n block(s) lie in RAM until there is room again</source>
      <translation>
        <numerusform>%n 个块暂存在内存中，直到再有空间</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s)</source>
      <translation>
        <numerusform>%n 个聊天</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) at once</source>
      <translation>
        <numerusform>同时 %n 个聊天</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) imported</source>
      <translation>
        <numerusform>已导入 %n 个聊天</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) of {length} tokens</source>
      <translation>
        <numerusform>%n 个 {length} 词元的聊天</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) written in since lie in the trash</source>
      <translation>
        <numerusform>之后写过的 %n 个聊天已移入回收站</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n core(s)</source>
      <translation>
        <numerusform>%n 个核心</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n download(s)</source>
      <translation>
        <numerusform>%n 次下载</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n let in again</source>
      <translation>
        <numerusform>%n 个重新进入</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n message(s)</source>
      <translation>
        <numerusform>%n 条消息</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n model(s) found, the most downloaded first</source>
      <translation>
        <numerusform>找到 %n 个模型，按下载量排序</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n model(s) found. To use one, it is converted; the file stays as it is.</source>
      <translation>
        <numerusform>找到 %n 个模型。使用前会先转换；原文件保持不变。</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n more are in use or pinned, and stay.</source>
      <translation>
        <numerusform>另有 %n 个正在使用或已固定，予以保留。</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n prompt(s) are not saved.</source>
      <translation>
        <numerusform>有 %n 个提示词未保存。</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n step(s) of {time} ms</source>
      <translation>
        <numerusform>%n 步，每步 {time} 毫秒</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n swapped out</source>
      <translation>
        <numerusform>%n 个已换出</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n thread(s)</source>
      <translation>
        <numerusform>%n 个线程</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n thread(s) at the moment.</source>
      <translation>
        <numerusform>当前为 %n 个线程。</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n to be computed again</source>
      <translation>
        <numerusform>%n 个需重新计算</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n token(s) of answers</source>
      <translation>
        <numerusform>回答 %n 个词元</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n token(s) of prompts</source>
      <translation>
        <numerusform>提示 %n 个词元</numerusform>
      </translation>
    </message>
    <message>
      <source>(empty)</source>
      <translation>（空）</translation>
    </message>
    <message>
      <source>, </source>
      <translation>，</translation>
    </message>
    <message>
      <source>0 (off) or more</source>
      <translation>必须为 0（关闭）或更大</translation>
    </message>
    <message>
      <source>0 (off) or more, up to 2**31</source>
      <translation>必须为 0（关闭）或更大，最多 2**31</translation>
    </message>
    <message>
      <source>0 always takes the likeliest word; higher is more surprising.</source>
      <translation>0 表示总是选最可能的词；越高越出人意料。</translation>
    </message>
    <message>
      <source>1 or more</source>
      <translation>必须为 1 或更大</translation>
    </message>
    <message>
      <source>1 token</source>
      <translation>1 个词元</translation>
    </message>
    <message>
      <source>1 token of answer</source>
      <translation>回答 1 个</translation>
    </message>
    <message>
      <source>A GGUF file, or a folder with safetensors (also GPTQ and AWQ): drop it anywhere on the window, or choose it.</source>
      <translation>GGUF 文件，或含 safetensors 的文件夹（也支持 GPTQ 和 AWQ）：拖到窗口任意处，或选择它。</translation>
    </message>
    <message>
      <source>A chat that fills its {length} tokens takes {size}.</source>
      <translation>写满 {length} 词元的聊天占用 {size}。</translation>
    </message>
    <message>
      <source>A comment of the export is damaged: {why}</source>
      <translation>导出文件中的注释已损坏：{why}</translation>
    </message>
    <message>
      <source>A desktop notification, when an answer or a job ends while another window is in front.</source>
      <translation>当另一个窗口在前面时，如果回答或任务结束，则显示桌面通知。</translation>
    </message>
    <message>
      <source>A file for a report of a fault: log, versions, machine and models, without any chat</source>
      <translation>用于报告故障的文件：日志、版本、机器和模型，不含任何聊天</translation>
    </message>
    <message>
      <source>A file is being read: it can be sent when that is done.</source>
      <translation>正在读取文件：读取完成后即可发送。</translation>
    </message>
    <message>
      <source>A file stands in the folder's place: move it away.</source>
      <translation>文件夹的位置上有一个文件：请把它移走。</translation>
    </message>
    <message>
      <source>A folder stands in the file's place: move it away.</source>
      <translation>文件的位置上有一个文件夹：请把它移走。</translation>
    </message>
    <message>
      <source>A model could not be made ready</source>
      <translation>一个模型未能准备好</translation>
    </message>
    <message>
      <source>A model's name has 1 to {limit} characters and no line breaks</source>
      <translation>模型名称须为 1 到 {limit} 个字符，且不含换行</translation>
    </message>
    <message>
      <source>A new access token takes the place of the one that is kept in the keyring.</source>
      <translation>新的访问令牌会取代密钥环中保存的那个。</translation>
    </message>
    <message>
      <source>A quarter of the rest, {size}, is kept for chats; “Memory for chats” in the settings makes it more or less.</source>
      <translation>剩余内存的四分之一（{size}）留给聊天；可在设置的“聊天用内存”中增减。</translation>
    </message>
    <message>
      <source>A quick small English model for short questions.</source>
      <translation>快速的小型英语模型，适合简短的问题。</translation>
    </message>
    <message>
      <source>A request needs either messages or a raw prompt</source>
      <translation>请求需要消息或原始提示词</translation>
    </message>
    <message>
      <source>A restart ends them. What is written by then stays, and can be continued.</source>
      <translation>重新启动会结束它们。到那时已写出的内容会保留，每条都可以继续。</translation>
    </message>
    <message>
      <source>A small English chat model by Hugging Face to begin with: quick on any computer, often wrong on facts.</source>
      <translation>Hugging Face 的小型英语聊天模型，适合入门：在任何电脑上都很快，但事实常有错误。</translation>
    </message>
    <message>
      <source>About and privacy</source>
      <translation>关于与隐私</translation>
    </message>
    <message>
      <source>Above 1 makes words that were there less likely. 1 is off.</source>
      <translation>大于 1 时，出现过的词更不容易再出现。1 表示关闭。</translation>
    </message>
    <message>
      <source>Access token</source>
      <translation>访问令牌</translation>
    </message>
    <message>
      <source>Access token of your account on the hub</source>
      <translation>你在模型站的账户的访问令牌</translation>
    </message>
    <message>
      <source>Access token, hf_…</source>
      <translation>访问令牌，hf_…</translation>
    </message>
    <message>
      <source>Add a model</source>
      <translation>添加模型</translation>
    </message>
    <message>
      <source>All answers are complete by now.</source>
      <translation>所有回答都已完成。</translation>
    </message>
    <message>
      <source>All open tabs</source>
      <translation>所有打开的标签页</translation>
    </message>
    <message>
      <source>An all-rounder with long chats.</source>
      <translation>全能型，适合长聊天。</translation>
    </message>
    <message>
      <source>An answer ends before any of these texts.</source>
      <translation>回答在这些文本之前结束。</translation>
    </message>
    <message>
      <source>An answer may have {tokens} here. “Continue” lets the model go on.</source>
      <translation>这里的回答最多 {tokens}。“继续”让模型接着写。</translation>
    </message>
    <message>
      <source>Another program has the file open: end that one.</source>
      <translation>另一个程序打开了该文件：请结束那个程序。</translation>
    </message>
    <message>
      <source>Another prompt has this name: choose one that is free.</source>
      <translation>已有同名提示词：请换一个名称。</translation>
    </message>
    <message>
      <source>Answer</source>
      <translation>回答</translation>
    </message>
    <message>
      <source>Answer again</source>
      <translation>重新回答</translation>
    </message>
    <message>
      <source>Answer again with the same seed</source>
      <translation>用相同种子重新回答</translation>
    </message>
    <message>
      <source>Answers anew, and sets “Repetition penalty” in the options of this chat</source>
      <translation>重新回答，并设置此聊天选项中的“重复惩罚”</translation>
    </message>
    <message>
      <source>Answers at once</source>
      <translation>同时回答数</translation>
    </message>
    <message>
      <source>Answers take several times as long as they could: {problem}</source>
      <translation>回答会比正常情况慢几倍：{problem}</translation>
    </message>
    <message>
      <source>Appearance</source>
      <translation>外观</translation>
    </message>
    <message>
      <source>As in the file</source>
      <translation>与文件相同</translation>
    </message>
    <message>
      <source>As the processor works best</source>
      <translation>按处理器最合适的方式</translation>
    </message>
    <message>
      <source>As the system</source>
      <translation>跟随系统</translation>
    </message>
    <message>
      <source>As with “Precision of chats in memory” in the settings</source>
      <translation>与设置中的“聊天在内存中的精度”相同</translation>
    </message>
    <message>
      <source>Ask again</source>
      <translation>再次询问</translation>
    </message>
    <message>
      <source>Ask again with less repetition</source>
      <translation>减少重复后重新提问</translation>
    </message>
    <message>
      <source>Asked: {time}</source>
      <translation>提问时间：{time}</translation>
    </message>
    <message>
      <source>Asking the hub for its facts</source>
      <translation>正在向模型站查询信息</translation>
    </message>
    <message>
      <source>At the beginning of a message: choose a prompt</source>
      <translation>在消息开头：选择提示词</translation>
    </message>
    <message>
      <source>Attach files</source>
      <translation>附加文件</translation>
    </message>
    <message>
      <source>Attach files, keep the text as a prompt, or edit prompts</source>
      <translation>附加文件、将文本保存为提示词或编辑提示词</translation>
    </message>
    <message>
      <source>Attach files: text, source code, PDF</source>
      <translation>附加文件：文本、源代码、PDF</translation>
    </message>
    <message>
      <source>Attach files…</source>
      <translation>附加文件…</translation>
    </message>
    <message>
      <source>Back</source>
      <translation>返回</translation>
    </message>
    <message>
      <source>Back (Esc)</source>
      <translation>返回（Esc）</translation>
    </message>
    <message>
      <source>Back into the field, to change it or not to send it</source>
      <translation>放回输入框，以便修改或不发送</translation>
    </message>
    <message>
      <source>Back to the chats</source>
      <translation>返回聊天</translation>
    </message>
    <message>
      <source>Back to the chats (Esc)</source>
      <translation>返回聊天（Esc）</translation>
    </message>
    <message>
      <source>Balanced</source>
      <translation>均衡</translation>
    </message>
    <message>
      <source>Block</source>
      <translation>块</translation>
    </message>
    <message>
      <source>Block grid</source>
      <translation>块网格</translation>
    </message>
    <message>
      <source>Blocks</source>
      <translation>块</translation>
    </message>
    <message>
      <source>Blocks of each chat</source>
      <translation>各聊天的块</translation>
    </message>
    <message>
      <source>Blocks that only this chat uses now</source>
      <translation>目前只有此聊天使用的块</translation>
    </message>
    <message>
      <source>Blocks that this chat uses now together with others</source>
      <translation>此聊天目前与其他聊天共用的块</translation>
    </message>
    <message>
      <source>Branch: a new chat from here</source>
      <translation>分支：从此处新建聊天</translation>
    </message>
    <message>
      <source>Break the line</source>
      <translation>换行</translation>
    </message>
    <message>
      <source>CPU (reference)</source>
      <translation>CPU（参考实现）</translation>
    </message>
    <message>
      <source>Cached texts</source>
      <translation>已缓存的文本</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>取消</translation>
    </message>
    <message>
      <source>Cancelled: finished parts are kept, start again to go on</source>
      <translation>已取消：已完成的部分会保留，重新开始即可继续</translation>
    </message>
    <message>
      <source>Cancelling</source>
      <translation>正在取消</translation>
    </message>
    <message>
      <source>Cannot download: this Python has no pip. Download a GGUF file yourself and drop it on the window</source>
      <translation>无法下载：此 Python 没有 pip。请自行下载 GGUF 文件并拖到窗口上</translation>
    </message>
    <message>
      <source>Cannot list {folder}: {reason}</source>
      <translation>无法列出 {folder}：{reason}</translation>
    </message>
    <message>
      <source>Cannot open {path}: {error}. {advice}</source>
      <translation>无法打开 {path}：{error}。{advice}</translation>
    </message>
    <message>
      <source>Cannot read {path} ({reason}): check its permissions and the disk</source>
      <translation>无法读取 {path}（{reason}）：请检查其权限和磁盘</translation>
    </message>
    <message>
      <source>Cannot read {path} ({reason}): convert the model again</source>
      <translation>无法读取 {path}（{reason}）：请重新转换模型</translation>
    </message>
    <message>
      <source>Cannot read {path} ({reason}): correct it, or remove it and move models again</source>
      <translation>无法读取 {path}（{reason}）：请修正它，或删除它并重新移动模型</translation>
    </message>
    <message>
      <source>Cannot read {path}: {reason}</source>
      <translation>无法读取 {path}：{reason}</translation>
    </message>
    <message>
      <source>Cannot save to {path}: {reason}. Choose another place or free some space; the chat itself is not touched</source>
      <translation>无法保存到 {path}：{reason}。请选择另一个位置或腾出一些空间；聊天本身不受影响</translation>
    </message>
    <message>
      <source>Cannot write {path}: another program may hold it, such as a virus scanner. Start again, finished parts are kept; if it happens every time, choose another data folder at the next start</source>
      <translation>无法写入 {path}：可能被其他程序（例如杀毒软件）占用。请重新开始，已完成的部分会保留；如果每次都发生，请在下次启动时选择另一个数据文件夹</translation>
    </message>
    <message>
      <source>Cannot write {path}: the folder is read-only for you, allow writing to it, or choose another data folder at the next start</source>
      <translation>无法写入 {path}：该文件夹对你是只读的，请允许写入，或在下次启动时选择另一个数据文件夹</translation>
    </message>
    <message>
      <source>Cannot write {path}: {reason}</source>
      <translation>无法写入 {path}：{reason}</translation>
    </message>
    <message>
      <source>Change the limit…</source>
      <translation>更改上限…</translation>
    </message>
    <message>
      <source>Changed by you.</source>
      <translation>您已更改。</translation>
    </message>
    <message>
      <source>Changed by you; the default is “{value}”.</source>
      <translation>您已更改；默认值为“{value}”。</translation>
    </message>
    <message>
      <source>Changes in this section hold once the engine is restarted, which ends running answers.</source>
      <translation>本节的更改在引擎重启后生效，重启会结束正在进行的回答。</translation>
    </message>
    <message>
      <source>Chat</source>
      <translation>聊天</translation>
    </message>
    <message>
      <source>Chat moved to the trash</source>
      <translation>聊天已移入回收站</translation>
    </message>
    <message>
      <source>Chats</source>
      <translation>聊天</translation>
    </message>
    <message>
      <source>Chats cannot be read from {place}: {error}. {advice}</source>
      <translation>无法从 {place} 读取聊天：{error}。{advice}</translation>
    </message>
    <message>
      <source>Chats cannot be saved to {place} yet: another program has the file open. What is written in chats is kept here, and saved as soon as that has ended.</source>
      <translation>聊天暂时无法保存到 {place}：另一个程序正在使用该文件。聊天中写下的内容保留在此，待其结束后自动保存。</translation>
    </message>
    <message>
      <source>Chats cannot be saved to {place}: {error}. {advice}</source>
      <translation>无法将聊天保存到 {place}：{error}。{advice}</translation>
    </message>
    <message>
      <source>Chats cannot be used in {path}: {error}. {advice}</source>
      <translation>无法使用 {path} 中的聊天：{error}。{advice}</translation>
    </message>
    <message>
      <source>Chats in eight bits</source>
      <translation>聊天以八位保存</translation>
    </message>
    <message>
      <source>Chats in the engine</source>
      <translation>引擎中的聊天</translation>
    </message>
    <message>
      <source>Chats with all these words; words in "quotation marks" as they stand</source>
      <translation>含有所有这些词的聊天；“引号”中的词按原样查找</translation>
    </message>
    <message>
      <source>Chats, models and settings stay in the data folder. Nothing is sent anywhere; the network is used only for what you ask for, such as a model's download.</source>
      <translation>聊天、模型和设置都留在数据文件夹中。不会向任何地方发送内容；只有在你要求时才使用网络，例如下载模型。</translation>
    </message>
    <message>
      <source>Check that you may read and write this file and its folder.</source>
      <translation>请检查你是否有权读写该文件及其文件夹。</translation>
    </message>
    <message>
      <source>Check the disk, or choose another data folder at the next start.</source>
      <translation>请检查磁盘，或在下次启动时选择另一个数据文件夹。</translation>
    </message>
    <message>
      <source>Check the download</source>
      <translation>检查下载的文件</translation>
    </message>
    <message>
      <source>Check what was written</source>
      <translation>检查写入的内容</translation>
    </message>
    <message>
      <source>Choose a chat or a message to bring it back.</source>
      <translation>选择要恢复的聊天或消息。</translation>
    </message>
    <message>
      <source>Choose a chat to bring it back.</source>
      <translation>选择一个聊天以恢复它。</translation>
    </message>
    <message>
      <source>Choose a folder…</source>
      <translation>选择文件夹…</translation>
    </message>
    <message>
      <source>Choose a model</source>
      <translation>选择模型</translation>
    </message>
    <message>
      <source>Choose a model's folder</source>
      <translation>选择模型的文件夹</translation>
    </message>
    <message>
      <source>Choose another…</source>
      <translation>选择另一个…</translation>
    </message>
    <message>
      <source>Choose…</source>
      <translation>选择…</translation>
    </message>
    <message>
      <source>Clear the field</source>
      <translation>清空输入框</translation>
    </message>
    <message>
      <source>Close</source>
      <translation>关闭</translation>
    </message>
    <message>
      <source>Close (Esc)</source>
      <translation>关闭（Esc）</translation>
    </message>
    <message>
      <source>Close others</source>
      <translation>关闭其他</translation>
    </message>
    <message>
      <source>Close tab</source>
      <translation>关闭标签页</translation>
    </message>
    <message>
      <source>Close tab (Ctrl+W)</source>
      <translation>关闭标签页（Ctrl+W）</translation>
    </message>
    <message>
      <source>Close this block</source>
      <translation>关闭此块</translation>
    </message>
    <message>
      <source>Code</source>
      <translation>代码</translation>
    </message>
    <message>
      <source>Commands</source>
      <translation>命令</translation>
    </message>
    <message>
      <source>Commands that match</source>
      <translation>匹配的命令</translation>
    </message>
    <message>
      <source>Compare with the source, layer {done} of {total}</source>
      <translation>与来源比较，第 {done} 层，共 {total} 层</translation>
    </message>
    <message>
      <source>Context of this chat</source>
      <translation>此聊天的上下文</translation>
    </message>
    <message>
      <source>Continue</source>
      <translation>继续</translation>
    </message>
    <message>
      <source>Continue this answer</source>
      <translation>继续这个回答</translation>
    </message>
    <message>
      <source>Convert</source>
      <translation>转换</translation>
    </message>
    <message>
      <source>Convert layer {done} of {total}</source>
      <translation>转换第 {done} 层，共 {total} 层</translation>
    </message>
    <message>
      <source>Convert {file}</source>
      <translation>转换 {file}</translation>
    </message>
    <message>
      <source>Copy</source>
      <translation>复制</translation>
    </message>
    <message>
      <source>Copy all that the memory view shows, also what is folded</source>
      <translation>复制内存视图显示的全部内容，包括折叠的部分</translation>
    </message>
    <message>
      <source>Copy as plain text</source>
      <translation>复制为纯文本</translation>
    </message>
    <message>
      <source>Copy as text</source>
      <translation>复制为文本</translation>
    </message>
    <message>
      <source>Copy speed, tokens and seed</source>
      <translation>复制速度、词元数和种子</translation>
    </message>
    <message>
      <source>Copy the error</source>
      <translation>复制错误信息</translation>
    </message>
    <message>
      <source>Copy the memory view as text</source>
      <translation>把内存视图复制为文本</translation>
    </message>
    <message>
      <source>Copy this code</source>
      <translation>复制这段代码</translation>
    </message>
    <message>
      <source>Copy this message</source>
      <translation>复制这条消息</translation>
    </message>
    <message>
      <source>Copy “{title}” as text</source>
      <translation>把“{title}”复制为文本</translation>
    </message>
    <message>
      <source>Correct</source>
      <translation>改正</translation>
    </message>
    <message>
      <source>Correct spelling and grammar, and keep wording and tone:

</source>
      <translation>改正拼写和语法，保留措辞和语气：

</translation>
    </message>
    <message>
      <source>Could not download {package}: {reason}. Check the internet connection, then fetch again</source>
      <translation>无法下载 {package}：{reason}。请检查网络连接，然后重新获取</translation>
    </message>
    <message>
      <source>Counted as if each chat filled its length and shared nothing: with a common beginning more fit.</source>
      <translation>按每个聊天都写满且不共享任何内容计算：开头相同时能放下更多。</translation>
    </message>
    <message>
      <source>Ctrl+plus, Ctrl+minus; Ctrl+0 resets.</source>
      <translation>Ctrl+加号、Ctrl+减号；Ctrl+0 还原。</translation>
    </message>
    <message>
      <source>Dark</source>
      <translation>深色</translation>
    </message>
    <message>
      <source>Data folder</source>
      <translation>数据文件夹</translation>
    </message>
    <message>
      <source>DeepInfer runs on this computer alone. To begin, it needs a model.</source>
      <translation>DeepInfer 只在这台电脑上运行。开始之前需要一个模型。</translation>
    </message>
    <message>
      <source>Delete</source>
      <translation>删除</translation>
    </message>
    <message numerus="yes">
      <source>Delete %n model(s) in the trash for good?</source>
      <translation>
        <numerusform>永久删除回收站中的 %n 个模型？</numerusform>
      </translation>
    </message>
    <message>
      <source>Delete all that is in the trash for good?</source>
      <translation>永久删除回收站中的所有内容？</translation>
    </message>
    <message>
      <source>Delete chat</source>
      <translation>删除聊天</translation>
    </message>
    <message>
      <source>Delete folder, keep its chats</source>
      <translation>删除文件夹，保留其中的聊天</translation>
    </message>
    <message>
      <source>Delete for good…</source>
      <translation>永久删除…</translation>
    </message>
    <message>
      <source>Delete question and answer</source>
      <translation>删除问题和回答</translation>
    </message>
    <message>
      <source>Delete the chat chosen in the list</source>
      <translation>删除列表中选中的聊天</translation>
    </message>
    <message>
      <source>Delete this chat</source>
      <translation>删除此聊天</translation>
    </message>
    <message>
      <source>Delete this message</source>
      <translation>删除这条消息</translation>
    </message>
    <message>
      <source>Delete {model}</source>
      <translation>删除 {model}</translation>
    </message>
    <message>
      <source>Delete “{title}” for good?</source>
      <translation>永久删除“{title}”？</translation>
    </message>
    <message>
      <source>Detach into a window of its own</source>
      <translation>分离为独立窗口</translation>
    </message>
    <message>
      <source>Details</source>
      <translation>详情</translation>
    </message>
    <message>
      <source>Details of {model}</source>
      <translation>{model} 的详情</translation>
    </message>
    <message>
      <source>Disk use</source>
      <translation>磁盘占用</translation>
    </message>
    <message>
      <source>Dismiss</source>
      <translation>关闭</translation>
    </message>
    <message>
      <source>Does not fit on the disk: {size} to download and as much for the model, {free} free</source>
      <translation>磁盘放不下：需下载 {size}，模型也需同样大的空间，可用 {free}</translation>
    </message>
    <message>
      <source>Does not fit: needs {needed}, {free} free</source>
      <translation>放不下：需要 {needed}，可用 {free}</translation>
    </message>
    <message>
      <source>Download {amount}</source>
      <translation>下载 {amount}</translation>
    </message>
    <message>
      <source>Downloads</source>
      <translation>下载</translation>
    </message>
    <message>
      <source>Drop</source>
      <translation>丢弃</translation>
    </message>
    <message numerus="yes">
      <source>Dropped %n block(s).</source>
      <translation>
        <numerusform>已丢弃 %n 个块。</numerusform>
      </translation>
    </message>
    <message>
      <source>Each square is a block of {size} tokens of a chat's memory.</source>
      <translation>每个方格是聊天内存中 {size} 个词元的一个块。</translation>
    </message>
    <message>
      <source>Earlier messages</source>
      <translation>更早的消息</translation>
    </message>
    <message>
      <source>Edit</source>
      <translation>编辑</translation>
    </message>
    <message>
      <source>Eight bits</source>
      <translation>八位</translation>
    </message>
    <message>
      <source>Eight bits hold about twice as many tokens; answers differ a little.</source>
      <translation>八位可容纳约两倍的词元；回答会略有不同。</translation>
    </message>
    <message>
      <source>Empty the trash</source>
      <translation>清空回收站</translation>
    </message>
    <message>
      <source>Empty trash</source>
      <translation>清空回收站</translation>
    </message>
    <message>
      <source>End the split</source>
      <translation>结束并排显示</translation>
    </message>
    <message>
      <source>End the split: back into its tab</source>
      <translation>结束并排显示：放回标签页</translation>
    </message>
    <message>
      <source>Engine</source>
      <translation>引擎</translation>
    </message>
    <message>
      <source>English, good at rewriting and summaries.</source>
      <translation>英语，擅长改写和摘要。</translation>
    </message>
    <message>
      <source>Error code: {code}</source>
      <translation>错误代码：{code}</translation>
    </message>
    <message>
      <source>Error: {code}</source>
      <translation>错误：{code}</translation>
    </message>
    <message>
      <source>Every file of {model} is as it was made.</source>
      <translation>{model} 的每个文件都与生成时一致。</translation>
    </message>
    <message>
      <source>Explain</source>
      <translation>解释</translation>
    </message>
    <message>
      <source>Explain how a rainbow forms</source>
      <translation>解释彩虹是怎样形成的</translation>
    </message>
    <message>
      <source>Explain this step by step, in plain words:

</source>
      <translation>请用通俗的语言一步一步解释：

</translation>
    </message>
    <message>
      <source>Export all chats…</source>
      <translation>导出所有聊天…</translation>
    </message>
    <message>
      <source>Export chats</source>
      <translation>导出聊天</translation>
    </message>
    <message>
      <source>Export this chat…</source>
      <translation>导出此聊天…</translation>
    </message>
    <message>
      <source>Exported to {name}</source>
      <translation>已导出到 {name}</translation>
    </message>
    <message>
      <source>Exports of chats</source>
      <translation>聊天导出文件</translation>
    </message>
    <message>
      <source>Export…</source>
      <translation>导出…</translation>
    </message>
    <message>
      <source>Faithful</source>
      <translation>忠实</translation>
    </message>
    <message>
      <source>File to download</source>
      <translation>要下载的文件</translation>
    </message>
    <message>
      <source>Files cannot be added here: attach them to a new message.</source>
      <translation>此处不能添加文件：请附加到新消息中。</translation>
    </message>
    <message>
      <source>Find a command</source>
      <translation>查找命令</translation>
    </message>
    <message>
      <source>Find a setting</source>
      <translation>查找设置</translation>
    </message>
    <message>
      <source>Find in this chat</source>
      <translation>在此聊天中查找</translation>
    </message>
    <message>
      <source>First get a model: a chat needs one that answers.</source>
      <translation>请先获取一个模型：聊天需要由它来回答。</translation>
    </message>
    <message>
      <source>Fits with a shorter context: one chat of {length} tokens (about {words} words)</source>
      <translation>缩短上下文后可以放下：一个 {length} 词元的聊天（约 {words} 个英文词）</translation>
    </message>
    <message numerus="yes">
      <source>Fits, with %n chat(s) of {length} tokens (about {words} words each)</source>
      <translation>
        <numerusform>放得下，可同时有 %n 个 {length} 词元的聊天（每个约 {words} 个英文词）</numerusform>
      </translation>
    </message>
    <message>
      <source>Folder {name}, {chats}, {state}</source>
      <translation>文件夹 {name}，{chats}，{state}</translation>
    </message>
    <message>
      <source>Folders</source>
      <translation>文件夹</translation>
    </message>
    <message>
      <source>For repositories that ask for an account. It is kept in this system's keyring.</source>
      <translation>用于要求账户的仓库。令牌保存在本系统的密钥环中。</translation>
    </message>
    <message>
      <source>For this chat</source>
      <translation>用于此聊天</translation>
    </message>
    <message>
      <source>Forget a token kept earlier</source>
      <translation>忘记以前保存的令牌</translation>
    </message>
    <message>
      <source>Forget the oldest turns</source>
      <translation>忘记最早的轮次</translation>
    </message>
    <message>
      <source>Forget the oldest turns: they stay here, but the model no longer sees them</source>
      <translation>忘掉最早的轮次：它们仍留在这里，但模型不再看到</translation>
    </message>
    <message>
      <source>Forget this text and all that follows it (Del)</source>
      <translation>忘掉这段文本及其后的全部内容（Del）</translation>
    </message>
    <message>
      <source>Forgotten. A token that other programs or HF_TOKEN have left is still used.</source>
      <translation>已忘记。其他程序或 HF_TOKEN 留下的令牌仍会使用。</translation>
    </message>
    <message>
      <source>Formula</source>
      <translation>公式</translation>
    </message>
    <message>
      <source>Free some space on this disk.</source>
      <translation>请在此磁盘上腾出一些空间。</translation>
    </message>
    <message>
      <source>Free the copy for this machine ({size})</source>
      <translation>释放为本机准备的副本（{size}）</translation>
    </message>
    <message>
      <source>Free: room for more text of chats</source>
      <translation>空闲：可容纳更多聊天文本</translation>
    </message>
    <message>
      <source>Free: {tokens}</source>
      <translation>空闲：{tokens}</translation>
    </message>
    <message>
      <source>From block to block, in the grid of the memory</source>
      <translation>在内存网格中逐块移动</translation>
    </message>
    <message>
      <source>From other programs</source>
      <translation>来自其他程序</translation>
    </message>
    <message>
      <source>From the chat's own text</source>
      <translation>根据聊天自身的文本</translation>
    </message>
    <message>
      <source>From top to bottom: what became of chats that wait, tokens computed, time of a step, chats at once. Bars grow as the root of their number. Arrow keys go through the moments.</source>
      <translation>从上到下：等待的聊天的情况、计算的词元、每步时间、同时的聊天数。柱高按数量的平方根增长。用方向键浏览各个时刻。</translation>
    </message>
    <message>
      <source>Further ones wait for their turn.</source>
      <translation>更多的回答依次等待。</translation>
    </message>
    <message>
      <source>GGUF files of LM Studio, Ollama, llama.cpp and the Hugging Face cache on this computer.</source>
      <translation>此电脑上 LM Studio、Ollama、llama.cpp 和 Hugging Face 缓存中的 GGUF 文件。</translation>
    </message>
    <message>
      <source>General</source>
      <translation>常规</translation>
    </message>
    <message>
      <source>Get</source>
      <translation>获取</translation>
    </message>
    <message>
      <source>Get a model</source>
      <translation>获取模型</translation>
    </message>
    <message>
      <source>Get a model first: this leads to it</source>
      <translation>请先获取模型：点此前往</translation>
    </message>
    <message>
      <source>Get again</source>
      <translation>重新获取</translation>
    </message>
    <message>
      <source>Get {model}</source>
      <translation>获取 {model}</translation>
    </message>
    <message>
      <source>Get {model} again</source>
      <translation>重新获取 {model}</translation>
    </message>
    <message>
      <source>Go to the newest text</source>
      <translation>转到最新文本</translation>
    </message>
    <message>
      <source>Groups of {size} are not supported: use 32, 64 or 128</source>
      <translation>不支持 {size} 个一组：请使用 32、64 或 128</translation>
    </message>
    <message>
      <source>Guess the next words</source>
      <translation>预猜后面的词</translation>
    </message>
    <message>
      <source>Guesses are checked by the model: answers stay the same and come sooner.</source>
      <translation>猜测由模型核对：回答不变，但更快。</translation>
    </message>
    <message>
      <source>Guessing tokens of {name} by a draft model needs one: let it guess from the chat's own text (Settings, Engine)</source>
      <translation>用草稿模型猜测 {name} 的词元需要一个草稿模型：请让它从聊天自身的文本中猜测（设置，引擎）</translation>
    </message>
    <message>
      <source>Hide</source>
      <translation>隐藏</translation>
    </message>
    <message>
      <source>Hide this message</source>
      <translation>隐藏此消息</translation>
    </message>
    <message>
      <source>High contrast</source>
      <translation>高对比度</translation>
    </message>
    <message>
      <source>How far it is stands with the model below.</source>
      <translation>进度显示在下方的模型处。</translation>
    </message>
    <message>
      <source>How many chats fit</source>
      <translation>能放下多少聊天</translation>
    </message>
    <message>
      <source>How many of the processor's threads compute. Automatic is one for each core.</source>
      <translation>用于计算的处理器线程数。自动为每个核心一个。</translation>
    </message>
    <message>
      <source>I have a model</source>
      <translation>我有模型</translation>
    </message>
    <message>
      <source>I have accepted them</source>
      <translation>我已接受</translation>
    </message>
    <message>
      <source>If it is private, the hub shows it to an access token of an account that may see it; it is kept in this system's keyring.</source>
      <translation>如果它是私有的，模型站只向有权查看的账户的访问令牌显示它；令牌保存在本系统的密钥环中。</translation>
    </message>
    <message>
      <source>Import chats</source>
      <translation>导入聊天</translation>
    </message>
    <message>
      <source>Import chats…</source>
      <translation>导入聊天…</translation>
    </message>
    <message>
      <source>Importing, {done} of {all}</source>
      <translation>正在导入，{done} / {all}</translation>
    </message>
    <message numerus="yes">
      <source>In %n chat(s)</source>
      <translation>
        <numerusform>在 %n 个聊天中</numerusform>
      </translation>
    </message>
    <message>
      <source>In another version of this chat</source>
      <translation>在此聊天的另一个版本中</translation>
    </message>
    <message numerus="yes">
      <source>In more than %n chat(s)</source>
      <translation>
        <numerusform>在超过 %n 个聊天中</numerusform>
      </translation>
    </message>
    <message>
      <source>In the attached {name}</source>
      <translation>在附件 {name} 中</translation>
    </message>
    <message>
      <source>In the title</source>
      <translation>在标题中</translation>
    </message>
    <message>
      <source>In tokens.</source>
      <translation>以词元计。</translation>
    </message>
    <message>
      <source>In tokens. Automatic is up to 4,096, and less where the chat has nearly filled the model's context.</source>
      <translation>以词元计。自动最多为 4,096；当聊天快要占满模型的上下文时会更少。</translation>
    </message>
    <message>
      <source>Inventive</source>
      <translation>创意</translation>
    </message>
    <message>
      <source>It came with DeepInfer, so it stays; saving makes one of your own of it.</source>
      <translation>它随 DeepInfer 提供，因此会保留；保存后会成为您自己的一条。</translation>
    </message>
    <message>
      <source>It cannot be kept: {reason}</source>
      <translation>无法保存：{reason}</translation>
    </message>
    <message>
      <source>It cannot be moved away: {cause}. {advice}</source>
      <translation>无法移走：{cause}。{advice}</translation>
    </message>
    <message>
      <source>It cannot run here: {reason}</source>
      <translation>无法在此运行：{reason}</translation>
    </message>
    <message>
      <source>It could not be saved.</source>
      <translation>无法保存。</translation>
    </message>
    <message>
      <source>It failed without a message: try again</source>
      <translation>失败且没有说明：请重试</translation>
    </message>
    <message>
      <source>It has neither a whole GGUF nor safetensors with config.json and a tokenizer: choose another repository, GGUF ones often have it in their name</source>
      <translation>其中既没有完整的 GGUF，也没有带 config.json 和分词器的 safetensors：请选择另一个仓库，含 GGUF 的仓库名称中通常有 GGUF 字样</translation>
    </message>
    <message>
      <source>It is being loaded.</source>
      <translation>正在加载。</translation>
    </message>
    <message>
      <source>It is converted into the library once; the files themselves stay as they are.</source>
      <translation>只需转换进模型库一次；原文件保持不变。</translation>
    </message>
    <message>
      <source>It is full: shorten the message, or let the chat forget its oldest turns.</source>
      <translation>已满：请缩短消息，或让聊天忘掉最早的轮次。</translation>
    </message>
    <message>
      <source>It is in the library already, as {model}: converting it makes one more.</source>
      <translation>它已在模型库中，名为 {model}：再次转换会多出一个。</translation>
    </message>
    <message>
      <source>It is loaded: unload it first.</source>
      <translation>它已加载：请先卸载。</translation>
    </message>
    <message>
      <source>It repeats itself.</source>
      <translation>回答在不断重复。</translation>
    </message>
    <message>
      <source>It takes the place of the model that answers in all chats now</source>
      <translation>它将取代现在所有聊天中回答的模型</translation>
    </message>
    <message>
      <source>It was kept as {name}.</source>
      <translation>已保存为 {name}。</translation>
    </message>
    <message>
      <source>It was written by a newer DeepInfer (format {version}, known {known}).</source>
      <translation>由更新版本的 DeepInfer 写入（格式 {version}，已知 {known}）。</translation>
    </message>
    <message>
      <source>Its makers want their terms accepted first: do so at {page}. The hub then knows you by an access token of your account; it is kept in this system's keyring.</source>
      <translation>其作者要求先接受条款：请在 {page} 接受。之后模型站通过你账户的访问令牌识别你；令牌保存在本系统的密钥环中。</translation>
    </message>
    <message>
      <source>JSON, whole with all versions (*.json)</source>
      <translation>JSON，完整，含所有版本 (*.json)</translation>
    </message>
    <message>
      <source>Jobs</source>
      <translation>任务</translation>
    </message>
    <message>
      <source>KV cached</source>
      <translation>KV 已缓存</translation>
    </message>
    <message>
      <source>KV free</source>
      <translation>KV 空闲</translation>
    </message>
    <message>
      <source>KV pinned</source>
      <translation>KV 已固定</translation>
    </message>
    <message>
      <source>KV used</source>
      <translation>KV 使用中</translation>
    </message>
    <message>
      <source>KV {used} % used</source>
      <translation>KV 已用 {used}%</translation>
    </message>
    <message>
      <source>KV {used} % used, {cached} % cached</source>
      <translation>KV 已用 {used}%，缓存 {cached}%</translation>
    </message>
    <message>
      <source>KV: what the model keeps of the texts that it has read, so as not to read them again</source>
      <translation>KV：模型对已读文本保留的内容，以免重新读取</translation>
    </message>
    <message>
      <source>Keep as a prompt</source>
      <translation>存为提示词</translation>
    </message>
    <message>
      <source>Keep the computer awake while it works</source>
      <translation>工作时保持电脑不休眠</translation>
    </message>
    <message>
      <source>Keep this text as a prompt…</source>
      <translation>把这段文本存为提示词…</translation>
    </message>
    <message>
      <source>Keep this text in memory, from its beginning, as long as the model is loaded</source>
      <translation>只要模型处于加载状态，就从开头起把这段文本保留在内存中</translation>
    </message>
    <message>
      <source>Kept free for the reply, at the least: {tokens}</source>
      <translation>至少为回复保留：{tokens}</translation>
    </message>
    <message>
      <source>Kept from earlier, and reused if a chat begins the same</source>
      <translation>之前保留的，若聊天开头相同则重复使用</translation>
    </message>
    <message>
      <source>Kept: the hub knows you as {account}.</source>
      <translation>已保存：模型站认出你是 {account}。</translation>
    </message>
    <message>
      <source>Keys</source>
      <translation>按键</translation>
    </message>
    <message>
      <source>Knows much more, and is slow without a fast computer.</source>
      <translation>知识丰富得多，没有快速的电脑时会很慢。</translation>
    </message>
    <message>
      <source>Language</source>
      <translation>语言</translation>
    </message>
    <message>
      <source>Larger text</source>
      <translation>放大文字</translation>
    </message>
    <message>
      <source>Last 30 days</source>
      <translation>最近 30 天</translation>
    </message>
    <message>
      <source>Last 7 days</source>
      <translation>最近 7 天</translation>
    </message>
    <message>
      <source>Last progress: {text}</source>
      <translation>最后进度：{text}</translation>
    </message>
    <message>
      <source>Last {time} s: {sums}</source>
      <translation>最近 {time} 秒：{sums}</translation>
    </message>
    <message>
      <source>Leads to “Get a model”: from the hub, or from a file of yours</source>
      <translation>转到“获取模型”：从模型中心或你自己的文件</translation>
    </message>
    <message>
      <source>Legend of the step timeline</source>
      <translation>步骤时间线的图例</translation>
    </message>
    <message>
      <source>Let the model go on where it ended</source>
      <translation>让模型从结束处继续</translation>
    </message>
    <message>
      <source>Let this chat forget its oldest turns, and send the message</source>
      <translation>让此聊天忘记最早的轮次，并发送消息</translation>
    </message>
    <message>
      <source>Light</source>
      <translation>浅色</translation>
    </message>
    <message>
      <source>Limit of a chat: {tokens}</source>
      <translation>聊天上限：{tokens}</translation>
    </message>
    <message>
      <source>Load</source>
      <translation>加载</translation>
    </message>
    <message>
      <source>Load at every start</source>
      <translation>每次启动时加载</translation>
    </message>
    <message>
      <source>Load it</source>
      <translation>加载它</translation>
    </message>
    <message>
      <source>Load layer {done} of {total}</source>
      <translation>加载第 {done} 层，共 {total} 层</translation>
    </message>
    <message>
      <source>Load {model}</source>
      <translation>加载 {model}</translation>
    </message>
    <message>
      <source>Loaded</source>
      <translation>已加载</translation>
    </message>
    <message>
      <source>Loaded at every start</source>
      <translation>每次启动时加载</translation>
    </message>
    <message>
      <source>Loading</source>
      <translation>正在加载</translation>
    </message>
    <message>
      <source>Loading {model} …</source>
      <translation>正在加载 {model}…</translation>
    </message>
    <message>
      <source>Longest answer</source>
      <translation>最长回答</translation>
    </message>
    <message>
      <source>Look for them</source>
      <translation>查找</translation>
    </message>
    <message>
      <source>Looking…</source>
      <translation>正在查找…</translation>
    </message>
    <message>
      <source>Many languages, a good middle for a laptop.</source>
      <translation>多种语言，适合笔记本电脑的折中之选。</translation>
    </message>
    <message>
      <source>Many languages, knows more; not for commercial use.</source>
      <translation>多种语言，知识更多；不可用于商业用途。</translation>
    </message>
    <message>
      <source>Markdown, what is shown (*.md)</source>
      <translation>Markdown，所显示的内容 (*.md)</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>内存</translation>
    </message>
    <message>
      <source>Memory for chats (MiB)</source>
      <translation>聊天用内存（MiB）</translation>
    </message>
    <message>
      <source>Memory for waiting chats (MiB)</source>
      <translation>等待中聊天的内存（MiB）</translation>
    </message>
    <message>
      <source>Memory of this computer</source>
      <translation>这台电脑的内存</translation>
    </message>
    <message>
      <source>Message</source>
      <translation>消息</translation>
    </message>
    <message>
      <source>Message deleted.</source>
      <translation>消息已删除。</translation>
    </message>
    <message>
      <source>Message {number} has no end: the file is cut off.</source>
      <translation>第 {number} 条消息没有结尾：文件被截断。</translation>
    </message>
    <message>
      <source>Message, or / for a prompt</source>
      <translation>输入消息，或按 / 选择提示词</translation>
    </message>
    <message>
      <source>Messages so far, with what the model adds: {tokens}</source>
      <translation>目前的消息，含模型自行添加的部分：{tokens}</translation>
    </message>
    <message>
      <source>Min-p</source>
      <translation>Min-p</translation>
    </message>
    <message>
      <source>Model</source>
      <translation>模型</translation>
    </message>
    <message>
      <source>Model hub</source>
      <translation>模型站</translation>
    </message>
    <message>
      <source>Model: {model}</source>
      <translation>模型：{model}</translation>
    </message>
    <message>
      <source>Models</source>
      <translation>模型</translation>
    </message>
    <message>
      <source>Models ({files})</source>
      <translation>模型（{files}）</translation>
    </message>
    <message>
      <source>Models to get</source>
      <translation>可获取的模型</translation>
    </message>
    <message>
      <source>Models…</source>
      <translation>模型…</translation>
    </message>
    <message>
      <source>More</source>
      <translation>更多</translation>
    </message>
    <message>
      <source>More for this message</source>
      <translation>此消息的更多操作</translation>
    </message>
    <message>
      <source>More models…</source>
      <translation>更多模型…</translation>
    </message>
    <message>
      <source>More of {model}</source>
      <translation>{model} 的更多操作</translation>
    </message>
    <message>
      <source>More: folders, import, export, trash</source>
      <translation>更多：文件夹、导入、导出、回收站</translation>
    </message>
    <message>
      <source>Move to</source>
      <translation>移动到</translation>
    </message>
    <message>
      <source>Move to another folder…</source>
      <translation>移动到其他文件夹…</translation>
    </message>
    <message>
      <source>Move {amount}</source>
      <translation>移动 {amount}</translation>
    </message>
    <message>
      <source>Move {model} into a folder</source>
      <translation>把 {model} 移动到文件夹</translation>
    </message>
    <message>
      <source>Move {model} to {folder}</source>
      <translation>把 {model} 移动到 {folder}</translation>
    </message>
    <message>
      <source>Name</source>
      <translation>名称</translation>
    </message>
    <message>
      <source>Name of the prompt. A message that begins with / offers it.</source>
      <translation>提示词名称。在消息开头输入 / 即可选用。</translation>
    </message>
    <message>
      <source>Needed are {model} for the model and the rest for a chat of {length} tokens.</source>
      <translation>其中模型需要 {model}，其余用于一个 {length} 词元的聊天。</translation>
    </message>
    <message>
      <source>Needs {needed} in {folder}, {free} free, of which other jobs need {others}: free some space, or move models to another disk</source>
      <translation>{folder} 中需要 {needed}，可用 {free}，其中其他任务需要 {others}：请腾出一些空间，或将模型移到另一个磁盘</translation>
    </message>
    <message>
      <source>Needs {needed} in {folder}, {free} free: free some space, or move models to another disk</source>
      <translation>{folder} 中需要 {needed}，可用 {free}：请腾出一些空间，或将模型移到另一个磁盘</translation>
    </message>
    <message>
      <source>Needs {needed} tokens ({num_prompt} of {prompt} and {answer}), {place} holds {limit}: {advice}</source>
      <translation>需要 {needed} 个词元（{prompt} {num_prompt} 个，{answer}），而{place}可容纳 {limit} 个：{advice}</translation>
    </message>
    <message>
      <source>Never</source>
      <translation>从不</translation>
    </message>
    <message>
      <source>New</source>
      <comment>a prompt</comment>
      <translation>新建</translation>
    </message>
    <message>
      <source>New chat</source>
      <translation>新聊天</translation>
    </message>
    <message>
      <source>New chat (Ctrl+T)</source>
      <translation>新聊天（Ctrl+T）</translation>
    </message>
    <message>
      <source>New chats are kept only until the window is closed.</source>
      <translation>新聊天只保留到窗口关闭为止。</translation>
    </message>
    <message>
      <source>New folder</source>
      <translation>新文件夹</translation>
    </message>
    <message>
      <source>Newest answer</source>
      <translation>最新回答</translation>
    </message>
    <message>
      <source>Next message: Enter sends it when this answer is finished</source>
      <translation>下一条消息：按 Enter，这条回答结束后发送</translation>
    </message>
    <message>
      <source>Next or previous place of what is found in the chat</source>
      <translation>聊天中找到的下一处或上一处</translation>
    </message>
    <message>
      <source>Next place (F3)</source>
      <translation>下一处（F3）</translation>
    </message>
    <message>
      <source>Next tab</source>
      <translation>下一个标签页</translation>
    </message>
    <message>
      <source>No chat has these words.</source>
      <translation>没有聊天包含这些词。</translation>
    </message>
    <message>
      <source>No different for this file from “{choice}”</source>
      <translation>对此文件与“{choice}”没有区别</translation>
    </message>
    <message>
      <source>No folder</source>
      <translation>无文件夹</translation>
    </message>
    <message>
      <source>No longer keep this text</source>
      <translation>不再保留这段文本</translation>
    </message>
    <message>
      <source>No memory to copy {count} blocks ({reason}): close other programs and save again</source>
      <translation>没有内存复制 {count} 个块（{reason}）：请关闭其他程序并重新保存</translation>
    </message>
    <message>
      <source>No model</source>
      <translation>无模型</translation>
    </message>
    <message>
      <source>No model is loaded yet.</source>
      <translation>尚未加载模型。</translation>
    </message>
    <message>
      <source>No model is loaded. Load one to see where its memory goes.</source>
      <translation>没有加载模型。加载一个即可查看内存去向。</translation>
    </message>
    <message>
      <source>No model is loaded: load one first</source>
      <translation>没有加载模型：请先加载一个</translation>
    </message>
    <message>
      <source>No model yet: choose Get a model above, or drop a file of your own on the window.</source>
      <translation>还没有模型：选择上方的“获取模型”，或把你自己的文件拖到窗口上。</translation>
    </message>
    <message>
      <source>No room for {chats} together: {needed} needed, {pool} there.</source>
      <translation>放不下 {chats}：需要 {needed}，只有 {pool}。</translation>
    </message>
    <message>
      <source>No room for {path}: it takes {count} blocks, and of the {total} there are, running answers and what is pinned leave {left}</source>
      <translation>没有空间放 {path}：它占 {count} 个块，而在共 {total} 个块中，进行中的回答和已固定的内容只留下 {left} 个</translation>
    </message>
    <message>
      <source>No setting has these words.</source>
      <translation>没有设置包含这些词。</translation>
    </message>
    <message>
      <source>None found. You can still drop a file on the window.</source>
      <translation>没有找到。你仍可把文件拖到窗口上。</translation>
    </message>
    <message>
      <source>Not even one of this length fits.</source>
      <translation>这个长度连一个也放不下。</translation>
    </message>
    <message>
      <source>Not found</source>
      <translation>未找到</translation>
    </message>
    <message>
      <source>Not the usual place: the environment variable {name} says so.</source>
      <translation>不是通常的位置：由环境变量 {name} 指定。</translation>
    </message>
    <message>
      <source>Not the usual place: the program was started with the option --home.</source>
      <translation>不是通常的位置：程序启动时使用了 --home 选项。</translation>
    </message>
    <message>
      <source>Nothing found</source>
      <translation>未找到</translation>
    </message>
    <message>
      <source>Nothing found for {words}: try fewer words</source>
      <translation>没有找到“{words}”：请减少关键词</translation>
    </message>
    <message>
      <source>Nothing of {owner} is cached: it can be saved once {count} tokens or more of it were computed, for as long as others do not need their room</source>
      <translation>{owner} 没有任何内容在缓存中：计算了其中至少 {count} 个词元之后，并且在其他内容不需要其空间时，才能保存</translation>
    </message>
    <message>
      <source>Nothing was computed in the last {time} s.</source>
      <translation>最近 {time} 秒没有计算。</translation>
    </message>
    <message>
      <source>Number of chats</source>
      <translation>聊天数量</translation>
    </message>
    <message>
      <source>Of a loaded model “{section}” in the memory view tells it for other lengths.</source>
      <translation>模型加载后，内存视图中的“{section}”会给出其他长度的结果。</translation>
    </message>
    <message>
      <source>Of each chat this model keeps the newest {window} tokens alone.</source>
      <translation>此模型只保留每个聊天最新的 {window} 个词元。</translation>
    </message>
    <message>
      <source>Of the {free} of memory that are free for it the model takes {model}.</source>
      <translation>在可供其使用的 {free} 内存中，模型占用 {model}。</translation>
    </message>
    <message numerus="yes">
      <source>Of this length, %n fit(s) at once.</source>
      <translation>
        <numerusform>这个长度可同时放下 %n 个。</numerusform>
      </translation>
    </message>
    <message>
      <source>Older</source>
      <translation>更早</translation>
    </message>
    <message>
      <source>On disk are the model, {size}, and as much again for a copy prepared for this machine, which can be freed.</source>
      <translation>磁盘上有模型（{size}）和为本机准备的同样大的副本，副本可以释放。</translation>
    </message>
    <message>
      <source>On this computer</source>
      <translation>在此电脑上</translation>
    </message>
    <message>
      <source>Once you have accepted its terms, the hub knows you by an access token of your account; it is kept in this system's keyring.</source>
      <translation>接受条款之后，模型站通过你账户的访问令牌认出你；令牌保存在本系统的密钥环中。</translation>
    </message>
    <message>
      <source>One cell for each memory block. The arrow keys go from block to block, Enter opens one.</source>
      <translation>每个内存块一格。方向键在块之间移动，回车打开一个块。</translation>
    </message>
    <message>
      <source>One message waits already: take it back, or wait until it is sent.</source>
      <translation>已有一条消息在等待：请取回它，或等它发送。</translation>
    </message>
    <message>
      <source>Only so many of the likeliest words. 0 is off.</source>
      <translation>只取这么多个最可能的词。0 表示关闭。</translation>
    </message>
    <message>
      <source>Only the likeliest words that make up this share together. 1 is off.</source>
      <translation>只取合计达到此比例的最可能的词。1 表示关闭。</translation>
    </message>
    <message>
      <source>Only words at least this likely beside the likeliest. 0 is off.</source>
      <translation>只取相对最可能的词至少有此可能性的词。0 表示关闭。</translation>
    </message>
    <message>
      <source>Only {left} of memory are left; soon parts of programs are moved to the disk and answers get slow. Close other programs, or load a smaller model.</source>
      <translation>内存只剩 {left}；很快程序的一部分会被移到磁盘，回答会变慢。请关闭其他程序，或加载更小的模型。</translation>
    </message>
    <message>
      <source>Only {tokens} are left for the answer, about {words} words: it may break off.</source>
      <translation>留给回答的只有 {tokens}，约 {words} 个英文词：回答可能中断。</translation>
    </message>
    <message>
      <source>Open its page</source>
      <translation>打开其页面</translation>
    </message>
    <message>
      <source>Open the data folder</source>
      <translation>打开数据文件夹</translation>
    </message>
    <message>
      <source>Options of this chat</source>
      <translation>此聊天的选项</translation>
    </message>
    <message>
      <source>Pasted text {number}</source>
      <translation>粘贴的文本 {number}</translation>
    </message>
    <message>
      <source>Pause</source>
      <translation>暂停</translation>
    </message>
    <message>
      <source>Paused</source>
      <translation>已暂停</translation>
    </message>
    <message>
      <source>Paused · {reached}</source>
      <translation>已暂停 · {reached}</translation>
    </message>
    <message>
      <source>Paused, the disk is full: goes on once {needed} are free in {folder}</source>
      <translation>已暂停，磁盘已满：{folder} 中有 {needed} 可用空间后继续</translation>
    </message>
    <message>
      <source>Pausing</source>
      <translation>正在暂停</translation>
    </message>
    <message>
      <source>Pin</source>
      <translation>置顶</translation>
    </message>
    <message>
      <source>Pin</source>
      <comment>keep in memory</comment>
      <translation>固定</translation>
    </message>
    <message>
      <source>Pin this chat</source>
      <translation>置顶此聊天</translation>
    </message>
    <message>
      <source>Pinned</source>
      <translation>已置顶</translation>
    </message>
    <message numerus="yes">
      <source>Pinned: %n block(s), {size}.</source>
      <translation>
        <numerusform>已固定：%n 个块，{size}。</numerusform>
      </translation>
    </message>
    <message>
      <source>Pinned: kept until you unpin it or unload the model, also where room is short; used ones count as used</source>
      <translation>已固定：在您取消固定或卸载模型之前一直保留，空间不足时也是如此；正在使用的块计入“KV 使用中”</translation>
    </message>
    <message>
      <source>Point at a block, or go through them with the arrow keys.</source>
      <translation>指向一个块，或用方向键浏览。</translation>
    </message>
    <message>
      <source>Precise</source>
      <translation>精确</translation>
    </message>
    <message>
      <source>Precision of chats in memory</source>
      <translation>聊天在内存中的精度</translation>
    </message>
    <message>
      <source>Prepared copies, made again when needed</source>
      <translation>准备好的副本，需要时会重新生成</translation>
    </message>
    <message>
      <source>Preset</source>
      <translation>预设</translation>
    </message>
    <message>
      <source>Preset deleted.</source>
      <translation>预设已删除。</translation>
    </message>
    <message>
      <source>Preset: {name}</source>
      <translation>预设：{name}</translation>
    </message>
    <message>
      <source>Preset: {name}, changed</source>
      <translation>预设：{name}，已更改</translation>
    </message>
    <message>
      <source>Previous place (Shift+F3)</source>
      <translation>上一处（Shift+F3）</translation>
    </message>
    <message>
      <source>Previous tab</source>
      <translation>上一个标签页</translation>
    </message>
    <message>
      <source>Privacy</source>
      <translation>隐私</translation>
    </message>
    <message>
      <source>Prompt deleted.</source>
      <translation>提示词已删除。</translation>
    </message>
    <message>
      <source>Prompt kept. Type / to use it.</source>
      <translation>提示词已保存。输入 / 即可使用。</translation>
    </message>
    <message>
      <source>Prompt replaced.</source>
      <translation>提示词已替换。</translation>
    </message>
    <message>
      <source>Prompts</source>
      <translation>提示词</translation>
    </message>
    <message>
      <source>Prompts: texts to begin with. Enter puts one in; the clip’s menu edits them.</source>
      <translation>提示词：消息开头可用的文本。按 Enter 插入；可在回形针菜单中编辑。</translation>
    </message>
    <message>
      <source>Prompts…</source>
      <translation>提示词…</translation>
    </message>
    <message>
      <source>Put back</source>
      <translation>放回原处</translation>
    </message>
    <message>
      <source>Put this into the message</source>
      <translation>放入消息中</translation>
    </message>
    <message>
      <source>Question and answer deleted.</source>
      <translation>问题和回答已删除。</translation>
    </message>
    <message>
      <source>Quit</source>
      <translation>退出</translation>
    </message>
    <message>
      <source>Quit DeepInfer</source>
      <translation>退出 DeepInfer</translation>
    </message>
    <message>
      <source>Quit now</source>
      <translation>立即退出</translation>
    </message>
    <message>
      <source>Quitting stops the writing. What is written by then stays, and can be continued.</source>
      <translation>退出会中断书写。已写出的部分会保留，之后可以继续。</translation>
    </message>
    <message>
      <source>RAM:</source>
      <translation>内存（RAM）：</translation>
    </message>
    <message>
      <source>RAM: this program {own}, other programs {others}, left {left} of {total}</source>
      <translation>内存：本程序 {own}，其他程序 {others}，剩余 {left}，共 {total}</translation>
    </message>
    <message>
      <source>Read the file</source>
      <translation>读取文件</translation>
    </message>
    <message>
      <source>Read {name}</source>
      <translation>读取 {name}</translation>
    </message>
    <message>
      <source>Reading the beginning of the file, to tell whether it fits</source>
      <translation>正在读取文件开头，以判断能否放下</translation>
    </message>
    <message>
      <source>Reading the chat, {percent} %</source>
      <translation>正在读取聊天，{percent} %</translation>
    </message>
    <message>
      <source>Reading the file</source>
      <translation>正在读取文件</translation>
    </message>
    <message>
      <source>Ready</source>
      <translation>就绪</translation>
    </message>
    <message>
      <source>Ready and loaded</source>
      <translation>已就绪并加载</translation>
    </message>
    <message>
      <source>Recommended for you</source>
      <translation>为你推荐</translation>
    </message>
    <message>
      <source>Remains</source>
      <translation>残留</translation>
    </message>
    <message>
      <source>Remove</source>
      <translation>移除</translation>
    </message>
    <message>
      <source>Remove this message</source>
      <translation>移除此消息</translation>
    </message>
    <message>
      <source>Remove {model}</source>
      <translation>移除 {model}</translation>
    </message>
    <message>
      <source>Rename</source>
      <translation>重命名</translation>
    </message>
    <message>
      <source>Rename chat</source>
      <translation>重命名聊天</translation>
    </message>
    <message>
      <source>Rename model</source>
      <translation>重命名模型</translation>
    </message>
    <message>
      <source>Rename preset</source>
      <translation>重命名预设</translation>
    </message>
    <message>
      <source>Rename the chat chosen in the list</source>
      <translation>重命名列表中选中的聊天</translation>
    </message>
    <message>
      <source>Rename this chat…</source>
      <translation>重命名此聊天…</translation>
    </message>
    <message>
      <source>Rename…</source>
      <translation>重命名…</translation>
    </message>
    <message>
      <source>Reopen the tab closed last</source>
      <translation>重新打开最近关闭的标签页</translation>
    </message>
    <message>
      <source>Repetition penalty</source>
      <translation>重复惩罚</translation>
    </message>
    <message>
      <source>Restart DeepInfer</source>
      <translation>重新启动 DeepInfer</translation>
    </message>
    <message>
      <source>Restart now</source>
      <translation>立即重新启动</translation>
    </message>
    <message>
      <source>Restart the engine</source>
      <translation>重启引擎</translation>
    </message>
    <message>
      <source>Restore</source>
      <translation>恢复</translation>
    </message>
    <message>
      <source>Resume</source>
      <translation>继续</translation>
    </message>
    <message>
      <source>Retry</source>
      <translation>重试</translation>
    </message>
    <message>
      <source>Reverse a text in Python</source>
      <translation>用 Python 反转一段文本</translation>
    </message>
    <message>
      <source>Review code</source>
      <translation>审查代码</translation>
    </message>
    <message>
      <source>Review this code: faults first, then style.

</source>
      <translation>请审查这段代码：先指出错误，再谈风格。

</translation>
    </message>
    <message>
      <source>Room to compute in: what a step needs besides, at most</source>
      <translation>计算用的空间：一步另外最多需要的量</translation>
    </message>
    <message>
      <source>Save</source>
      <translation>保存</translation>
    </message>
    <message>
      <source>Save as…</source>
      <translation>另存为…</translation>
    </message>
    <message>
      <source>Save diagnostics</source>
      <translation>保存诊断信息</translation>
    </message>
    <message>
      <source>Save diagnostics…</source>
      <translation>保存诊断信息…</translation>
    </message>
    <message>
      <source>Save preset</source>
      <translation>保存预设</translation>
    </message>
    <message>
      <source>Save token</source>
      <translation>保存令牌</translation>
    </message>
    <message>
      <source>Search</source>
      <translation>搜索</translation>
    </message>
    <message>
      <source>Search all chats</source>
      <translation>搜索所有聊天</translation>
    </message>
    <message>
      <source>Search chats</source>
      <translation>搜索聊天</translation>
    </message>
    <message>
      <source>Search the hub</source>
      <translation>搜索模型站</translation>
    </message>
    <message>
      <source>Search the hub, such as qwen 3b, or paste a model's address</source>
      <translation>在模型站搜索，例如 qwen 3b，或粘贴模型的网址</translation>
    </message>
    <message>
      <source>Searching asks {address}. Nothing else leaves this computer.</source>
      <translation>搜索会访问 {address}。除此之外没有任何内容离开这台电脑。</translation>
    </message>
    <message>
      <source>Searching for {words}</source>
      <translation>正在搜索“{words}”</translation>
    </message>
    <message>
      <source>See whether it fits</source>
      <translation>查看能否放下</translation>
    </message>
    <message>
      <source>See whether {model} fits</source>
      <translation>查看 {model} 能否放下</translation>
    </message>
    <message>
      <source>Seed</source>
      <translation>种子</translation>
    </message>
    <message>
      <source>Send</source>
      <translation>发送</translation>
    </message>
    <message>
      <source>Send (Enter)</source>
      <translation>发送（Enter）</translation>
    </message>
    <message>
      <source>Send it once a model is loaded (Enter)</source>
      <translation>加载模型后发送（回车）</translation>
    </message>
    <message>
      <source>Send it when this answer is finished</source>
      <translation>这条回答结束后发送</translation>
    </message>
    <message>
      <source>Send it when this answer is finished (Enter)</source>
      <translation>这条回答结束后发送（Enter）</translation>
    </message>
    <message>
      <source>Send the message</source>
      <translation>发送消息</translation>
    </message>
    <message>
      <source>Sent</source>
      <translation>已发送</translation>
    </message>
    <message>
      <source>Setting</source>
      <translation>设置</translation>
    </message>
    <message>
      <source>Settings</source>
      <translation>设置</translation>
    </message>
    <message>
      <source>Settings and other small files</source>
      <translation>设置和其他小文件</translation>
    </message>
    <message>
      <source>Shorten the message or remove what is attached.</source>
      <translation>请缩短消息或移除附件。</translation>
    </message>
    <message>
      <source>Show</source>
      <translation>查看</translation>
    </message>
    <message>
      <source>Show beside</source>
      <translation>并排显示</translation>
    </message>
    <message>
      <source>Show how far it is: {job}</source>
      <translation>查看进度：{job}</translation>
    </message>
    <message>
      <source>Show more</source>
      <translation>显示更多</translation>
    </message>
    <message>
      <source>Show more of what was found</source>
      <translation>显示更多找到的模型</translation>
    </message>
    <message>
      <source>Show or hide the chats</source>
      <translation>显示或隐藏聊天列表</translation>
    </message>
    <message>
      <source>Show or hide the memory</source>
      <translation>显示或隐藏内存视图</translation>
    </message>
    <message>
      <source>Show or hide what the model thought</source>
      <translation>显示或隐藏模型的思考</translation>
    </message>
    <message>
      <source>Show the jobs on the page Models</source>
      <translation>在“模型”页显示任务</translation>
    </message>
    <message>
      <source>Show this chat beside, or end the split</source>
      <translation>并排显示此聊天，或结束并排显示</translation>
    </message>
    <message>
      <source>Shows the memory view, where lengths can be tried</source>
      <translation>显示内存视图，可在其中尝试不同长度</translation>
    </message>
    <message>
      <source>Small, speaks many languages, also Chinese.</source>
      <translation>小型，会多种语言，包括中文。</translation>
    </message>
    <message>
      <source>Small, thinks before it answers, many languages.</source>
      <translation>小型，回答前先思考，会多种语言。</translation>
    </message>
    <message>
      <source>Smaller text</source>
      <translation>缩小文字</translation>
    </message>
    <message>
      <source>Smallest</source>
      <translation>最小</translation>
    </message>
    <message>
      <source>Standard</source>
      <translation>标准</translation>
    </message>
    <message>
      <source>Stands before the first message of new chats.</source>
      <translation>位于新聊天的第一条消息之前。</translation>
    </message>
    <message>
      <source>Start DeepInfer again, with the same tabs</source>
      <translation>重新启动 DeepInfer，标签页不变</translation>
    </message>
    <message>
      <source>Start DeepInfer again: it sets a damaged file aside.</source>
      <translation>请重新启动 DeepInfer：它会把损坏的文件放到一边。</translation>
    </message>
    <message>
      <source>Start DeepInfer again; if it goes on, with another data folder.</source>
      <translation>请重新启动 DeepInfer；如果问题依旧，请换一个数据文件夹。</translation>
    </message>
    <message>
      <source>Start a chat</source>
      <translation>开始聊天</translation>
    </message>
    <message>
      <source>Start a new chat, or let this one forget its oldest turns.</source>
      <translation>请新建聊天，或让此聊天忘记最早的轮次。</translation>
    </message>
    <message>
      <source>Start now</source>
      <translation>马上开始</translation>
    </message>
    <message>
      <source>Starting</source>
      <translation>正在开始</translation>
    </message>
    <message>
      <source>Step timeline</source>
      <translation>步骤时间线</translation>
    </message>
    <message>
      <source>Steps</source>
      <translation>步骤</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>停止</translation>
    </message>
    <message>
      <source>Stop texts</source>
      <translation>停止文本</translation>
    </message>
    <message>
      <source>Stop the answer; leave a page</source>
      <translation>停止回答；离开页面</translation>
    </message>
    <message>
      <source>Stop this answer (Esc)</source>
      <translation>停止此回答（Esc）</translation>
    </message>
    <message>
      <source>Stop: nothing is forgotten, and a new message is refused</source>
      <translation>停止：什么也不忘记，新消息会被拒绝</translation>
    </message>
    <message>
      <source>Stopping…</source>
      <translation>正在停止…</translation>
    </message>
    <message>
      <source>Summarise</source>
      <translation>总结</translation>
    </message>
    <message>
      <source>Summarise this in a few sentences:

</source>
      <translation>请用几句话总结：

</translation>
    </message>
    <message numerus="yes">
      <source>Swapped out, in RAM: {chats} of %n block(s)</source>
      <translation>
        <numerusform>已换出到内存：{chats}，共 %n 个块</numerusform>
      </translation>
    </message>
    <message>
      <source>System prompt</source>
      <translation>系统提示词</translation>
    </message>
    <message>
      <source>System prompt of the model, as you gave none: {tokens}</source>
      <translation>模型自带的系统提示词（你没有设置）：{tokens}</translation>
    </message>
    <message>
      <source>System prompt, temperature and more of this chat</source>
      <translation>此聊天的系统提示词、温度等</translation>
    </message>
    <message>
      <source>Table</source>
      <translation>表格</translation>
    </message>
    <message>
      <source>Take back</source>
      <translation>取回</translation>
    </message>
    <message>
      <source>Take the last deletion back</source>
      <translation>撤销上次删除</translation>
    </message>
    <message>
      <source>Take {name} off</source>
      <translation>取下 {name}</translation>
    </message>
    <message>
      <source>Takes effect at the next start.</source>
      <translation>下次启动时生效。</translation>
    </message>
    <message>
      <source>Tell a story of a lighthouse</source>
      <translation>讲一个灯塔的故事</translation>
    </message>
    <message>
      <source>Tell me when something ends</source>
      <translation>有事情结束时通知我</translation>
    </message>
    <message>
      <source>Temperature</source>
      <translation>温度</translation>
    </message>
    <message>
      <source>Text</source>
      <translation>文本</translation>
    </message>
    <message>
      <source>Text of the usual size</source>
      <translation>恢复文字大小</translation>
    </message>
    <message>
      <source>Text of this message</source>
      <translation>此消息的文本</translation>
    </message>
    <message>
      <source>Texts that you use again and again. Type / at the beginning of a message to put one into it.</source>
      <translation>您反复使用的文本。在消息开头输入 / 即可插入其中一条。</translation>
    </message>
    <message>
      <source>The KV cache needs {needed} at least, for {tokens} tokens; a quarter of the {free} of free memory is {share}: close other programs, raise the budget or pick a smaller model</source>
      <translation>{tokens} 个词元的 KV 缓存至少需要 {needed}；可用内存 {free} 的四分之一为 {share}：请关闭其他程序，提高预算，或选择较小的模型</translation>
    </message>
    <message>
      <source>The KV cache needs {needed} at least, for {tokens} tokens; the budget is {share}: close other programs, raise the budget or pick a smaller model</source>
      <translation>{tokens} 个词元的 KV 缓存至少需要 {needed}；预算为 {share}：请提高预算，或选择较小的模型</translation>
    </message>
    <message>
      <source>The KV cache's budget is {budget}, {free} of memory are free: lower the budget or close other programs</source>
      <translation>KV 缓存的预算为 {budget}，可用内存为 {free}：请降低预算，或关闭其他程序</translation>
    </message>
    <message>
      <source>The address of a mirror of the Hugging Face hub, such as https://hub.example; empty for the hub itself. An access token that you keep is sent there too.</source>
      <translation>Hugging Face 模型站的镜像地址，例如 https://hub.example；留空则使用模型站本身。你保存的访问令牌也会发送到那里。</translation>
    </message>
    <message>
      <source>The answer failed: {reason}</source>
      <translation>回答失败：{reason}</translation>
    </message>
    <message>
      <source>The answer stopped at its limit, so your message was not sent: continue it, or send.</source>
      <translation>回答达到了长度上限，因此你的消息没有发送：可以继续这条回答，或直接发送。</translation>
    </message>
    <message>
      <source>The architecture {architecture} is not supported, supported are {known}</source>
      <translation>不支持架构 {architecture}，支持的有 {known}</translation>
    </message>
    <message>
      <source>The calibrated method needs a number of bits: use 3, 4, 5 or 8, or a quality</source>
      <translation>校准方法需要位数：请使用 3、4、5 或 8，或选择质量</translation>
    </message>
    <message>
      <source>The catalogue has no model {name}: choose one of {known}</source>
      <translation>目录中没有模型 {name}：请选择 {known} 之一</translation>
    </message>
    <message>
      <source>The chat history is damaged.</source>
      <translation>聊天历史已损坏。</translation>
    </message>
    <message>
      <source>The chat history was written by a newer DeepInfer (schema {version}, known {known}).</source>
      <translation>聊天历史由更新的 DeepInfer 写入（格式 {version}，已知 {known}）。</translation>
    </message>
    <message>
      <source>The chat is full: from here on the model no longer sees {turns} ({number} tokens).</source>
      <translation>聊天已满：从这里起，模型不再看到{turns}（{number} 个词元）。</translation>
    </message>
    <message>
      <source>The chat is full: it has all {limit} tokens that it may have.</source>
      <translation>聊天已满：已用完全部 {limit} 个词元。</translation>
    </message>
    <message>
      <source>The comment before the first chat is damaged.</source>
      <translation>第一个聊天之前的注释已损坏。</translation>
    </message>
    <message>
      <source>The connection to the hub broke off ({reason})</source>
      <translation>与模型站的连接中断（{reason}）</translation>
    </message>
    <message>
      <source>The converted model and its source have read the same short text. “Agrees”: how often both expect the same next token. Perplexity: among how many tokens the model wavers, fewer is better; close to the source's, little was lost. Divergence: how far the chances of the next tokens are apart, 0 is none.</source>
      <translation>转换后的模型与源模型读了同一段短文。“一致”：两者预计的下一个词元相同的比例。困惑度：模型在多少个词元之间犹豫，越小越好；与源模型接近，说明损失很小。散度：两者对下一个词元的概率相差多少，0 表示没有差别。</translation>
    </message>
    <message>
      <source>The copy has the weights laid out for this machine's processor, so that loading takes a moment. It can be freed; the next load makes it again.</source>
      <translation>副本中的权重已按本机处理器排好，因此加载只需片刻。可以释放它；下次加载时会重新生成。</translation>
    </message>
    <message>
      <source>The diagnostics cannot be saved: {cause}. {advice}</source>
      <translation>无法保存诊断信息：{cause}。{advice}</translation>
    </message>
    <message>
      <source>The diagnostics were saved as {path}. No chat is in them.</source>
      <translation>诊断信息已保存为 {path}。其中没有聊天内容。</translation>
    </message>
    <message>
      <source>The disk can only be read: choose another data folder at the next start.</source>
      <translation>磁盘是只读的：请在下次启动时选择另一个数据文件夹。</translation>
    </message>
    <message>
      <source>The disk is full, downloading the model: free some space, then fetch again</source>
      <translation>下载模型时磁盘已满：请腾出一些空间，然后重新获取</translation>
    </message>
    <message>
      <source>The disk is full, writing {path}: free some space and start again, finished parts are kept</source>
      <translation>写入 {path} 时磁盘已满：请腾出一些空间再重新开始，已完成的部分会保留</translation>
    </message>
    <message>
      <source>The download is stuck: try again later</source>
      <translation>下载停住了：请稍后再试</translation>
    </message>
    <message>
      <source>The download {file} is damaged ({reason}): fetch again</source>
      <translation>下载的 {file} 已损坏（{reason}）：请重新获取</translation>
    </message>
    <message>
      <source>The engine cannot start: a part of this program is missing or damaged. Install the program again</source>
      <translation>引擎无法启动：本程序的一部分缺失或已损坏。请重新安装程序</translation>
    </message>
    <message>
      <source>The engine is not running: restart it, then retry</source>
      <translation>引擎没有运行：请重启后再试</translation>
    </message>
    <message>
      <source>The engine stopped: restart it and try again</source>
      <translation>引擎已停止：请重新启动引擎后再试</translation>
    </message>
    <message>
      <source>The environment variable HF_HUB_OFFLINE forbids the hub: unset it, then start DeepInfer again</source>
      <translation>环境变量 HF_HUB_OFFLINE 禁止使用模型站：请取消它，然后重新启动 DeepInfer</translation>
    </message>
    <message>
      <source>The export</source>
      <translation>导出文件</translation>
    </message>
    <message numerus="yes">
      <source>The first %n model(s), the most downloaded first</source>
      <translation>
        <numerusform>前 %n 个模型，下载最多的在前</numerusform>
      </translation>
    </message>
    <message>
      <source>The hub cannot be reached ({reason}): check the internet connection and the proxy settings</source>
      <translation>无法连接模型站（{reason}）：请检查网络连接和代理设置</translation>
    </message>
    <message>
      <source>The hub gave an answer that makes no sense ({reason}): check the hub's address in Settings</source>
      <translation>模型站的回答无法理解（{reason}）：请检查设置中的模型站地址</translation>
    </message>
    <message>
      <source>The hub has been asked too often: try again in {time} s</source>
      <translation>向模型站请求过于频繁：请在 {time} 秒后再试</translation>
    </message>
    <message>
      <source>The hub has been asked too often: try again later</source>
      <translation>向模型站请求过于频繁：请稍后再试</translation>
    </message>
    <message>
      <source>The hub has closed {repo}: choose another repository</source>
      <translation>模型站已关闭 {repo}：请选择另一个仓库</translation>
    </message>
    <message>
      <source>The hub is asked for {repository} alone.</source>
      <translation>只向模型站询问 {repository}。</translation>
    </message>
    <message>
      <source>The hub is out of order (status {status}): try again later</source>
      <translation>模型站出现故障（状态 {status}）：请稍后再试</translation>
    </message>
    <message>
      <source>The hub refused the request (status {status}): check the hub's address in Settings, or try again later</source>
      <translation>模型站拒绝了请求（状态 {status}）：请检查设置中的模型站地址，或稍后再试</translation>
    </message>
    <message>
      <source>The hub refuses your access token: make a new one on the hub's site and keep it, here or in Settings</source>
      <translation>模型站拒绝你的访问令牌：请在其网站上新建一个，并在这里或设置中保存</translation>
    </message>
    <message>
      <source>The hub shows no repository {repo}: check the name, or it is private: then keep your access token, here or in Settings</source>
      <translation>模型站没有显示仓库 {repo}：请检查名称；如果它是私有的，请在这里或设置中保存你的访问令牌</translation>
    </message>
    <message>
      <source>The hub shows no repository {repo}: check the name, or your account may not see it</source>
      <translation>模型站没有显示仓库 {repo}：请检查名称，或者你的账户无权查看</translation>
    </message>
    <message>
      <source>The hub tells no checksum of {file}: choose another file or mirror</source>
      <translation>模型站没有给出 {file} 的校验和：请选择另一个文件或镜像</translation>
    </message>
    <message>
      <source>The hub tells no sizes of the files of {repo}: check the hub's address in Settings, if it is a mirror</source>
      <translation>模型站没有给出 {repo} 的文件大小：如果使用镜像，请检查设置中的模型站地址</translation>
    </message>
    <message>
      <source>The hub's answer about {about} makes no sense ({reason}): choose another one, or check the hub's address in Settings</source>
      <translation>模型站关于 {about} 的回答无法理解（{reason}）：请选择另一个，或检查设置中的模型站地址</translation>
    </message>
    <message>
      <source>The hub's storage refuses the download (status {status})</source>
      <translation>模型站的存储拒绝下载（状态 {status}）</translation>
    </message>
    <message>
      <source>The job broke by a fault of the program: the log has the details, start it again</source>
      <translation>任务因程序错误中断：日志中有详情，请重新开始</translation>
    </message>
    <message>
      <source>The log, app.log, lies there too</source>
      <translation>日志 app.log 也在那里</translation>
    </message>
    <message>
      <source>The model is ready</source>
      <translation>模型已就绪</translation>
    </message>
    <message>
      <source>The model itself</source>
      <translation>模型本身</translation>
    </message>
    <message>
      <source>The model was still thinking after {tokens}, the longest an answer may be: allow more, and ask again.</source>
      <translation>模型在用完 {tokens}（回答的最长长度）后仍在思考：请提高上限，然后重新提问。</translation>
    </message>
    <message>
      <source>The model's chat template cannot be used: {reason}</source>
      <translation>模型的聊天模板无法使用：{reason}</translation>
    </message>
    <message>
      <source>The model's chat template failed{place}: {reason}</source>
      <translation>模型的聊天模板出错{place}：{reason}</translation>
    </message>
    <message>
      <source>The model's chat template has an error in line {line}: {reason}</source>
      <translation>模型的聊天模板第 {line} 行有错误：{reason}</translation>
    </message>
    <message>
      <source>The model's chat template made more than {limit} characters: shorten the chat</source>
      <translation>模型的聊天模板生成了超过 {limit} 个字符：请缩短聊天</translation>
    </message>
    <message>
      <source>The model's chat template refused these messages: {reason}</source>
      <translation>模型的聊天模板拒绝了这些消息：{reason}</translation>
    </message>
    <message>
      <source>The model's tokenizer failed ({error}): try again, or convert the model again</source>
      <translation>模型的分词器出错（{error}）：请重试，或重新转换模型</translation>
    </message>
    <message>
      <source>The models cannot be listed. {cause}. Make it a folder that you may read, then try again.</source>
      <translation>无法列出模型。{cause}。请使其成为你可读取的文件夹，然后重试。</translation>
    </message>
    <message>
      <source>The name {name} makes no folder name: give it one with latin letters or digits</source>
      <translation>名称 {name} 不能用作文件夹名：请给它起一个含拉丁字母或数字的名称</translation>
    </message>
    <message>
      <source>The name {path} has bytes that are no text (UTF-8)</source>
      <translation>名称 {path} 含有不是文本（UTF-8）的字节</translation>
    </message>
    <message>
      <source>The native CPU kernels are not built ({path} is missing): build them with: python -m kernels.cpu.build</source>
      <translation>原生 CPU 内核尚未构建（缺少 {path}）：请运行 python -m kernels.cpu.build 构建</translation>
    </message>
    <message>
      <source>The native CPU kernels are older than their sources ({path}): build them with: python -m kernels.cpu.build</source>
      <translation>原生 CPU 内核比源代码旧（{path}）：请运行 python -m kernels.cpu.build 重新构建</translation>
    </message>
    <message>
      <source>The native CPU kernels cannot be used: {problem}</source>
      <translation>无法使用原生 CPU 内核：{problem}</translation>
    </message>
    <message>
      <source>The native CPU kernels do not load ({problem}): build them with: python -m kernels.cpu.build</source>
      <translation>原生 CPU 内核无法加载（{problem}）：请运行 python -m kernels.cpu.build 重新构建</translation>
    </message>
    <message>
      <source>The native CPU kernels need a processor with AVX2, FMA and F16C</source>
      <translation>原生 CPU 内核需要支持 AVX2、FMA 和 F16C 的处理器</translation>
    </message>
    <message>
      <source>The next version</source>
      <translation>下一个版本</translation>
    </message>
    <message>
      <source>The page is cut off: it does not carry its chats any more.</source>
      <translation>网页被截断：其中已不含聊天。</translation>
    </message>
    <message>
      <source>The prompt has the token {token}: this model's ids are 0 to {last}</source>
      <translation>提示词含词元 {token}：此模型的编号为 0 到 {last}</translation>
    </message>
    <message>
      <source>The prompt is empty: write something</source>
      <translation>提示词为空：请写点什么</translation>
    </message>
    <message>
      <source>The same seed gives the same answer to the same chat.</source>
      <translation>相同的种子对相同的聊天给出相同的回答。</translation>
    </message>
    <message>
      <source>The server answers with {range} for byte {start} of {size} of {file}: try again later, or check the hub's address in Settings, if it is a mirror</source>
      <translation>对 {file} 的第 {start} 字节（共 {size}），服务器回答 {range}：请稍后再试；如果使用镜像，请检查设置中的模型站地址</translation>
    </message>
    <message>
      <source>The server sends no parts of {file}: check the hub's address in Settings, if it is a mirror</source>
      <translation>服务器不能分段发送 {file}：如果是镜像，请在“设置”中检查其地址</translation>
    </message>
    <message>
      <source>The server sends {file} compressed: check the hub's address in Settings, if it is a mirror</source>
      <translation>服务器以压缩形式发送 {file}：如果使用镜像，请检查设置中的模型站地址</translation>
    </message>
    <message>
      <source>The settings cannot be saved: {cause}. {advice}</source>
      <translation>无法保存设置：{cause}。{advice}</translation>
    </message>
    <message>
      <source>The settings file {why}. The settings are the default ones. {rest}</source>
      <translation>设置文件{why}。现在使用默认设置。{rest}</translation>
    </message>
    <message>
      <source>The speeds are judged by how fast {model} answers here.</source>
      <translation>速度按 {model} 在这台电脑上的回答速度推算。</translation>
    </message>
    <message>
      <source>The system's keyring does not work ({reason}): nothing is kept there</source>
      <translation>系统的密钥环不可用（{reason}）：其中没有保存任何内容</translation>
    </message>
    <message>
      <source>The text is not valid Unicode at character {place}: save or send it as UTF-8</source>
      <translation>文本在第 {place} 个字符处不是有效的 Unicode：请以 UTF-8 保存或发送</translation>
    </message>
    <message>
      <source>The text of {name} cannot be read: it is damaged or protected.</source>
      <translation>无法读取 {name} 的文本：文件已损坏或受保护。</translation>
    </message>
    <message>
      <source>The token cannot be kept, the system's keyring does not work ({reason}): set the environment variable {variable} instead, then start DeepInfer again</source>
      <translation>无法保存令牌，系统的密钥环不可用（{reason}）：请改为设置环境变量 {variable}，然后重新启动 DeepInfer</translation>
    </message>
    <message>
      <source>The trash is empty.</source>
      <translation>回收站是空的。</translation>
    </message>
    <message>
      <source>The usual place on this system.</source>
      <translation>本系统的默认位置。</translation>
    </message>
    <message>
      <source>The version before</source>
      <translation>上一个版本</translation>
    </message>
    <message>
      <source>The {size} for chats were kept when the model was loaded: a quarter of the memory that was free beside it, but no more than {number} chats as long as it allows take, unless “Memory for chats” in the settings says how much.</source>
      <translation>这 {size} 聊天用的内存在加载模型时留出：为模型之外空闲内存的四分之一，但不超过 {number} 个达到模型允许长度的聊天所需，除非设置中的“聊天用内存”另有指定。</translation>
    </message>
    <message>
      <source>Theme</source>
      <translation>主题</translation>
    </message>
    <message>
      <source>There is a model {name} again: delete or move that one first</source>
      <translation>又有了模型 {name}：请先删除或移动它</translation>
    </message>
    <message>
      <source>There is a model {name} again: delete that one first</source>
      <translation>又有了模型 {name}：请先删除它</translation>
    </message>
    <message>
      <source>There is already a model {name}, {difference}: give this one another name than {other}</source>
      <translation>已有模型 {name}，{difference}：请给这个模型起一个不同于 {other} 的名称</translation>
    </message>
    <message>
      <source>There is no answer to go on with: the last message is the {role}'s</source>
      <translation>没有可以继续的回答：最后一条消息来自 {role}</translation>
    </message>
    <message>
      <source>There is no file {path}</source>
      <translation>没有文件 {path}</translation>
    </message>
    <message>
      <source>There is no method {method}: use {known}</source>
      <translation>没有方法 {method}：请使用 {known}</translation>
    </message>
    <message>
      <source>There is no model {name} (models: {have}): use one of these, or get one on the page Models</source>
      <translation>没有模型 {name}（现有模型：{have}）：请使用其中之一，或在“模型”页获取一个</translation>
    </message>
    <message>
      <source>There is no saved prefix {path}: check the name</source>
      <translation>没有保存的前缀 {path}：请检查名称</translation>
    </message>
    <message>
      <source>There is no {name} in the trash: look at it again</source>
      <translation>回收站中没有 {name}：请再查看一次</translation>
    </message>
    <message>
      <source>There is no {path}, its real name seems to have bytes that are no text (UTF-8)</source>
      <translation>没有 {path}，其真实名称似乎含有不是文本（UTF-8）的字节</translation>
    </message>
    <message>
      <source>There is nothing left to pin: this text is no longer cached.</source>
      <translation>没有可固定的内容：这段文本已不在缓存中。</translation>
    </message>
    <message>
      <source>There is room again: the chat goes on</source>
      <translation>又有空间了：聊天继续</translation>
    </message>
    <message>
      <source>There is room for {chats}: {needed} of the {pool} for chats.</source>
      <translation>可容纳 {chats}：占聊天用 {pool} 中的 {needed}。</translation>
    </message>
    <message>
      <source>There was no memory for all chats: this one waits, and its blocks lie in RAM meanwhile</source>
      <translation>内存不足以容纳所有聊天：此聊天在等待，其块暂存于内存（RAM）中</translation>
    </message>
    <message>
      <source>There was no memory for all chats: this one waits, and what was read of it is read again later</source>
      <translation>内存不足以容纳所有聊天：此聊天在等待，已读部分稍后会重新读取</translation>
    </message>
    <message>
      <source>There was none to forget in the keyring.</source>
      <translation>密钥环中没有可忘记的令牌。</translation>
    </message>
    <message>
      <source>They take turns then; for more room raise “Memory for chats” in the settings, or load a smaller model.</source>
      <translation>它们将轮流进行；如需更多空间，请在设置中增大“聊天用内存”，或加载更小的模型。</translation>
    </message>
    <message>
      <source>Thinking…</source>
      <translation>思考中…</translation>
    </message>
    <message>
      <source>Thinks before it answers, many languages; the most capable that still runs at reading speed.</source>
      <translation>回答前先思考，会多种语言；仍能以阅读速度运行的最强模型。</translation>
    </message>
    <message>
      <source>This cannot be undone.</source>
      <translation>此操作无法撤销。</translation>
    </message>
    <message>
      <source>This chat is full: {needed} with this message, but only {limit} fit. Shorten it, delete earlier messages, or choose to forget the oldest turns.</source>
      <translation>此聊天已满：加上这条消息共 {needed}，但最多只能 {limit} 个。请缩短消息，删除较早的消息，或选择忘记最早的轮次。</translation>
    </message>
    <message>
      <source>This chat used {model}, which is not on this computer any more.</source>
      <translation>此聊天使用过 {model}，它已不在此电脑上。</translation>
    </message>
    <message>
      <source>This chat used {model}.</source>
      <translation>此聊天使用过 {model}。</translation>
    </message>
    <message>
      <source>This is the default.</source>
      <translation>这是默认值。</translation>
    </message>
    <message>
      <source>This machine: {parts}</source>
      <translation>本机：{parts}</translation>
    </message>
    <message>
      <source>This model cannot be loaded · {size} on disk</source>
      <translation>此模型无法加载 · 占用磁盘 {size}</translation>
    </message>
    <message>
      <source>This model has no chat template: choose another model</source>
      <translation>此模型没有聊天模板：请选择另一个模型</translation>
    </message>
    <message>
      <source>This version has no GPU kernels: use the processor</source>
      <translation>此版本没有 GPU 内核：请使用 CPU</translation>
    </message>
    <message>
      <source>Thought</source>
      <translation>思考</translation>
    </message>
    <message>
      <source>Thought for {time}</source>
      <translation>思考了 {time}</translation>
    </message>
    <message>
      <source>Threads</source>
      <translation>线程</translation>
    </message>
    <message>
      <source>Three ideas for a rainy day</source>
      <translation>雨天可做的三件事</translation>
    </message>
    <message>
      <source>Title</source>
      <translation>标题</translation>
    </message>
    <message>
      <source>Today</source>
      <translation>今天</translation>
    </message>
    <message>
      <source>Tokens in each chat</source>
      <translation>每个聊天的词元数</translation>
    </message>
    <message>
      <source>Tokens of prompt and answer</source>
      <translation>提示与回答的词元</translation>
    </message>
    <message>
      <source>Tokens of the prompt that were in memory already, so that they were not computed again</source>
      <translation>提示中已在内存里、无需重新计算的词元</translation>
    </message>
    <message>
      <source>Tokens per second of this answer</source>
      <translation>此回答每秒的词元数</translation>
    </message>
    <message>
      <source>Too long to send: {needed}, but only {limit} fit. Shorten the message or remove what is attached.</source>
      <translation>太长，无法发送：共 {needed}，但最多只能 {limit} 个。请缩短消息，或移除附件。</translation>
    </message>
    <message>
      <source>Top-k</source>
      <translation>Top-k</translation>
    </message>
    <message>
      <source>Top-p</source>
      <translation>Top-p</translation>
    </message>
    <message>
      <source>Translate</source>
      <translation>翻译</translation>
    </message>
    <message>
      <source>Translate this into English:

</source>
      <translation>请把下面的内容译成英文：

</translation>
    </message>
    <message>
      <source>Trash</source>
      <translation>回收站</translation>
    </message>
    <message>
      <source>Try again</source>
      <translation>重试</translation>
    </message>
    <message>
      <source>Two tables of the vocabulary are counted, one to read with and one to answer with, as the model's file has both; each is {number}. Names of models often count one.</source>
      <translation>词表计了两份，一份用于读取，一份用于回答，因为模型文件里两份都有；每份 {number}。模型名称往往只计一份。</translation>
    </message>
    <message>
      <source>Undo</source>
      <translation>撤销</translation>
    </message>
    <message>
      <source>Undo (Ctrl+Z)</source>
      <translation>撤销 (Ctrl+Z)</translation>
    </message>
    <message>
      <source>Unfinished conversions</source>
      <translation>未完成的转换</translation>
    </message>
    <message>
      <source>Unknown role {role}: use system, user or assistant</source>
      <translation>未知角色 {role}：请使用 system、user 或 assistant</translation>
    </message>
    <message>
      <source>Unload</source>
      <translation>卸载</translation>
    </message>
    <message>
      <source>Unload the model</source>
      <translation>卸载模型</translation>
    </message>
    <message>
      <source>Unpin</source>
      <translation>取消置顶</translation>
    </message>
    <message>
      <source>Unpin</source>
      <comment>keep in memory</comment>
      <translation>取消固定</translation>
    </message>
    <message numerus="yes">
      <source>Unpin lets go of all that {pins} keeps: %n token(s).</source>
      <translation>
        <numerusform>取消固定会放开 {pins} 保留的全部内容：%n 个词元。</numerusform>
      </translation>
    </message>
    <message>
      <source>Unpin this chat</source>
      <translation>取消置顶此聊天</translation>
    </message>
    <message numerus="yes">
      <source>Unpin: this text and what follows, %n token(s).</source>
      <translation>
        <numerusform>取消固定：这段文本及其后的内容，%n 个词元。</numerusform>
      </translation>
    </message>
    <message>
      <source>Unpinned this text.</source>
      <translation>已取消固定这段文本。</translation>
    </message>
    <message>
      <source>Unpinned “{name}”.</source>
      <translation>已取消固定“{name}”。</translation>
    </message>
    <message>
      <source>Use the default</source>
      <translation>使用默认值</translation>
    </message>
    <message>
      <source>Used: blocks of answers that run</source>
      <translation>已用：正在生成的回答所占的块</translation>
    </message>
    <message>
      <source>Verify</source>
      <translation>校验</translation>
    </message>
    <message>
      <source>Verify its files</source>
      <translation>校验其文件</translation>
    </message>
    <message>
      <source>Verify {model}</source>
      <translation>校验 {model}</translation>
    </message>
    <message>
      <source>Version</source>
      <translation>版本</translation>
    </message>
    <message>
      <source>Waiting for memory: other chats need it, this one's part is kept</source>
      <translation>等待内存：其他聊天需要它，此聊天的部分已保留</translation>
    </message>
    <message>
      <source>Waiting, {place} in line</source>
      <translation>等待中，排在{place}</translation>
    </message>
    <message>
      <source>Web page, what is shown (*.html)</source>
      <translation>网页，所显示的内容 (*.html)</translation>
    </message>
    <message>
      <source>Welcome</source>
      <translation>欢迎</translation>
    </message>
    <message>
      <source>What all chats share. Automatic is a quarter of the memory that is free beside the model, but no more than four chats as long as the model allows.</source>
      <translation>所有聊天共用。自动则取模型之外空闲内存的四分之一，但不超过四个达到模型最大长度的聊天。</translation>
    </message>
    <message>
      <source>What do you want to do?</source>
      <translation>你想做什么？</translation>
    </message>
    <message>
      <source>What happened</source>
      <translation>发生了什么</translation>
    </message>
    <message>
      <source>What is in the trash</source>
      <translation>回收站中的内容</translation>
    </message>
    <message>
      <source>What it does</source>
      <translation>作用</translation>
    </message>
    <message>
      <source>What the engine does with it now</source>
      <translation>引擎目前如何处理它</translation>
    </message>
    <message>
      <source>What the model thought</source>
      <translation>模型的思考</translation>
    </message>
    <message>
      <source>What you are writing: {tokens}</source>
      <translation>正在输入：{tokens}</translation>
    </message>
    <message>
      <source>When full: {choice}</source>
      <translation>满时：{choice}</translation>
    </message>
    <message>
      <source>When the chat is full</source>
      <translation>聊天已满时</translation>
    </message>
    <message>
      <source>Where a chat's blocks are kept while others need its place; 0 computes them again.</source>
      <translation>当其他聊天需要位置时，一个聊天的块保存在这里；0 表示重新计算。</translation>
    </message>
    <message>
      <source>Where memory goes</source>
      <translation>内存去向</translation>
    </message>
    <message>
      <source>While an answer is written or a model is fetched. The screen may still go dark.</source>
      <translation>在写回答或获取模型时。屏幕仍可能变暗。</translation>
    </message>
    <message>
      <source>Will be sent when the model is loaded:</source>
      <translation>模型加载后将发送：</translation>
    </message>
    <message>
      <source>Will be sent when this answer is finished:</source>
      <translation>这条回答结束后发送：</translation>
    </message>
    <message>
      <source>With a tick this chat has its own value; without one the settings hold.</source>
      <translation>勾选后此聊天使用自己的值；不勾选则以设置为准。</translation>
    </message>
    <message>
      <source>Writes well for its size.</source>
      <translation>以其大小而言，文笔很好。</translation>
    </message>
    <message>
      <source>Yesterday</source>
      <translation>昨天</translation>
    </message>
    <message>
      <source>You</source>
      <translation>你</translation>
    </message>
    <message>
      <source>Your access token may not read {repo}: see {page}, or keep another token, here or in Settings</source>
      <translation>你的访问令牌无权读取 {repo}：请查看 {page}，或在这里或设置中保存另一个令牌</translation>
    </message>
    <message>
      <source>Your message was not sent: it stands here again.</source>
      <translation>你的消息没有发送：已放回这里。</translation>
    </message>
    <message>
      <source>Your system prompt: {tokens}</source>
      <translation>你的系统提示词：{tokens}</translation>
    </message>
    <message>
      <source>Zoom</source>
      <translation>缩放</translation>
    </message>
    <message>
      <source>a download waits</source>
      <translation>下载等待中</translation>
    </message>
    <message>
      <source>a list</source>
      <translation>列表</translation>
    </message>
    <message>
      <source>a number</source>
      <translation>数字</translation>
    </message>
    <message>
      <source>a number from 0 up</source>
      <translation>必须是不小于 0 的数</translation>
    </message>
    <message>
      <source>a text</source>
      <translation>文本</translation>
    </message>
    <message>
      <source>a whole number</source>
      <translation>整数</translation>
    </message>
    <message>
      <source>about {disk} on disk · {memory} of memory · about {speed} tok/s here</source>
      <translation>磁盘约 {disk} · 内存 {memory} · 在这台电脑上约 {speed} 词元/秒</translation>
    </message>
    <message>
      <source>about {disk} on disk · {memory} of memory · about {speed} tok/s on an ordinary laptop</source>
      <translation>磁盘约 {disk} · 内存 {memory} · 在普通笔记本上约 {speed} 词元/秒</translation>
    </message>
    <message>
      <source>about {size} to download · then about {disk} on disk, half of it a copy prepared for this machine · licence {licence} · {repository}</source>
      <translation>需下载约 {size} · 之后占用磁盘约 {disk}，其中一半是为本机准备的副本 · 许可证 {licence} · {repository}</translation>
    </message>
    <message>
      <source>about {time} left</source>
      <translation>约剩 {time}</translation>
    </message>
    <message>
      <source>above 0 and at most 1</source>
      <translation>必须大于 0 且不超过 1</translation>
    </message>
    <message>
      <source>above 0, at most 10</source>
      <translation>必须大于 0 且不超过 10</translation>
    </message>
    <message>
      <source>agrees with its source on {agreement} % of tokens · perplexity {perplexity}, the source's {source} · divergence {divergence}</source>
      <translation>与来源在 {agreement} % 的词元上一致 · 困惑度 {perplexity}，来源为 {source} · 散度 {divergence}</translation>
    </message>
    <message>
      <source>all weights exactly as in the source</source>
      <translation>所有权重与来源完全一致</translation>
    </message>
    <message>
      <source>allowed_token_ids and banned_token_ids leave no token to generate: allow one that is not banned</source>
      <translation>allowed_token_ids 和 banned_token_ids 没有留下可生成的词元：请允许一个未被禁止的词元</translation>
    </message>
    <message>
      <source>another for each answer</source>
      <translation>每次回答都不同</translation>
    </message>
    <message>
      <source>another tokenizer</source>
      <translation>分词器不同</translation>
    </message>
    <message>
      <source>answer tokens</source>
      <translation>回答词元</translation>
    </message>
    <message>
      <source>answering</source>
      <translation>正在回答</translation>
    </message>
    <message>
      <source>as small as it can be, answers lose some</source>
      <translation>尽可能小，回答质量略有下降</translation>
    </message>
    <message>
      <source>at once</source>
      <translation>同时</translation>
    </message>
    <message>
      <source>at rest</source>
      <translation>空闲</translation>
    </message>
    <message>
      <source>automatic</source>
      <translation>自动</translation>
    </message>
    <message>
      <source>back again</source>
      <translation>已恢复</translation>
    </message>
    <message>
      <source>block {number}</source>
      <translation>块 {number}</translation>
    </message>
    <message>
      <source>branch</source>
      <translation>分支</translation>
    </message>
    <message>
      <source>cached</source>
      <translation>已缓存</translation>
    </message>
    <message>
      <source>cached, all chats</source>
      <translation>全部已缓存</translation>
    </message>
    <message>
      <source>change correct</source>
      <translation>修改 更正</translation>
    </message>
    <message>
      <source>chat</source>
      <translation>聊天</translation>
    </message>
    <message>
      <source>chats</source>
      <translation>聊天</translation>
    </message>
    <message>
      <source>clip paperclip file add upload</source>
      <translation>回形针 附件 文件 添加 上传</translation>
    </message>
    <message>
      <source>clipboard</source>
      <translation>剪贴板</translation>
    </message>
    <message>
      <source>collapsed</source>
      <translation>已折叠</translation>
    </message>
    <message>
      <source>comparing {percent} %</source>
      <translation>比较中 {percent} %</translation>
    </message>
    <message>
      <source>config.json claims heads of {size} and {count} tokens of context</source>
      <translation>config.json 声称头大小为 {size}、上下文 {count} 个词元</translation>
    </message>
    <message>
      <source>config.json claims {layers} layers of {experts} experts, the files have {count} tensors</source>
      <translation>config.json 声称有 {layers} 层、{experts} 个专家，而文件只有 {count} 个张量</translation>
    </message>
    <message>
      <source>config.json has layers of the type {kind}, which is not supported</source>
      <translation>config.json 有不支持的层类型 {kind}</translation>
    </message>
    <message>
      <source>config.json has the activation {name}, supported are {known}</source>
      <translation>config.json 的激活函数为 {name}，支持的有 {known}</translation>
    </message>
    <message>
      <source>config.json sets {key}, which is not supported</source>
      <translation>config.json 设置了不支持的 {key}</translation>
    </message>
    <message>
      <source>config.json: no_rope_layers names {count} of {total} layers</source>
      <translation>config.json：no_rope_layers 列出 {total} 层中的 {count} 层</translation>
    </message>
    <message>
      <source>context {number} tokens</source>
      <translation>上下文 {number} 个词元</translation>
    </message>
    <message>
      <source>converting {percent} %</source>
      <translation>转换中 {percent} %</translation>
    </message>
    <message>
      <source>could not be read: {cause}</source>
      <translation>无法读取：{cause}</translation>
    </message>
    <message>
      <source>cpu gpu cores processor cuda speed performance compute</source>
      <translation>处理器 显卡 核心 内核 线程 速度 性能 计算</translation>
    </message>
    <message>
      <source>ctx {used} / {limit}</source>
      <translation>上下文 {used} / {limit}</translation>
    </message>
    <message>
      <source>dark light night mode colour color look</source>
      <translation>深色 浅色 暗色 亮色 夜间 黑暗 颜色 外观</translation>
    </message>
    <message>
      <source>divided by commas</source>
      <translation>以逗号分隔</translation>
    </message>
    <message>
      <source>does not fit</source>
      <translation>放不下</translation>
    </message>
    <message>
      <source>does not fit on the disk</source>
      <translation>磁盘放不下</translation>
    </message>
    <message>
      <source>downloading {percent} %</source>
      <translation>下载中 {percent} %</translation>
    </message>
    <message>
      <source>edited</source>
      <translation>已编辑</translation>
    </message>
    <message>
      <source>eject free memory stop</source>
      <translation>弹出 释放 内存</translation>
    </message>
    <message>
      <source>engine: {state}</source>
      <translation>引擎：{state}</translation>
    </message>
    <message>
      <source>error not measured</source>
      <translation>误差未测量</translation>
    </message>
    <message>
      <source>finished</source>
      <translation>已完成</translation>
    </message>
    <message>
      <source>first token {time} s</source>
      <translation>首个词元 {time} 秒</translation>
    </message>
    <message>
      <source>fits with a shorter context: one chat of {length} tokens</source>
      <translation>缩短上下文后可以放下：一个 {length} 词元的聊天</translation>
    </message>
    <message numerus="yes">
      <source>fits, with %n chat(s) of {length} tokens</source>
      <translation>
        <numerusform>放得下，可同时有 %n 个 {length} 词元的聊天</numerusform>
      </translation>
    </message>
    <message>
      <source>forget</source>
      <translation>忘记</translation>
    </message>
    <message>
      <source>fork duplicate</source>
      <translation>分叉 复制</translation>
    </message>
    <message>
      <source>free</source>
      <translation>空闲</translation>
    </message>
    <message>
      <source>from -2 to 2</source>
      <translation>必须在 -2 到 2 之间</translation>
    </message>
    <message>
      <source>from 0 to below 1</source>
      <translation>必须不小于 0 且小于 1</translation>
    </message>
    <message>
      <source>from 0 to below 2**64</source>
      <translation>必须不小于 0 且小于 2**64</translation>
    </message>
    <message>
      <source>from 0 to {limit}</source>
      <translation>必须在 0 到 {limit} 之间</translation>
    </message>
    <message>
      <source>from {file}</source>
      <translation>来自 {file}</translation>
    </message>
    <message>
      <source>guesses {right} of {all} right</source>
      <translation>猜测 {all} 个中 {right} 个正确</translation>
    </message>
    <message>
      <source>hits</source>
      <translation>命中</translation>
    </message>
    <message>
      <source>huggingface mirror proxy url address server download</source>
      <translation>镜像 代理 地址 网址 服务器 下载</translation>
    </message>
    <message>
      <source>imported</source>
      <translation>已导入</translation>
    </message>
    <message>
      <source>instructions persona role character custom</source>
      <translation>指令 角色 人设 自定义</translation>
    </message>
    <message>
      <source>interrupted</source>
      <translation>已中断</translation>
    </message>
    <message>
      <source>is no object</source>
      <translation>不是对象</translation>
    </message>
    <message>
      <source>it is larger than 1 GiB, which no export of chats is.</source>
      <translation>大于 1 GiB，聊天导出文件不会这么大。</translation>
    </message>
    <message>
      <source>it is no whole JSON file (line {line}, column {column}: {why}).</source>
      <translation>不是完整的 JSON 文件（第 {line} 行第 {column} 列：{why}）。</translation>
    </message>
    <message>
      <source>it is not an export of chats. Those of DeepInfer (JSON, Markdown, HTML), ChatGPT (conversations.json or its zip file), Open WebUI and LM Studio (.conversation.json) can be imported.</source>
      <translation>不是聊天导出文件。可导入 DeepInfer（JSON、Markdown、HTML）、ChatGPT（conversations.json 或其 zip 文件）、Open WebUI 和 LM Studio（.conversation.json）的导出文件。</translation>
    </message>
    <message>
      <source>its header</source>
      <translation>文件头</translation>
    </message>
    <message>
      <source>keep top favourite star</source>
      <translation>置顶 收藏</translation>
    </message>
    <message>
      <source>kv cache quantization quantisation int8 context length memory</source>
      <translation>缓存 量化 上下文 长度 内存</translation>
    </message>
    <message>
      <source>largest error {error} % ({matrix})</source>
      <translation>最大误差 {error} %（{matrix}）</translation>
    </message>
    <message>
      <source>last {titles}</source>
      <translation>最近：{titles}</translation>
    </message>
    <message>
      <source>latest</source>
      <translation>最新</translation>
    </message>
    <message>
      <source>left {left} of {total}</source>
      <translation>剩余 {left}，共 {total}</translation>
    </message>
    <message>
      <source>length</source>
      <translation>长度</translation>
    </message>
    <message>
      <source>length limit max tokens long short reply response</source>
      <translation>长度 上限 限制 词元 回复 输出</translation>
    </message>
    <message>
      <source>licence not stated</source>
      <translation>未注明许可证</translation>
    </message>
    <message>
      <source>licence {licence}</source>
      <translation>许可证 {licence}</translation>
    </message>
    <message>
      <source>loading {model}</source>
      <translation>正在加载 {model}</translation>
    </message>
    <message>
      <source>loading, layer {layer} of {total}</source>
      <translation>加载中，第 {layer} 层，共 {total} 层</translation>
    </message>
    <message>
      <source>logit_bias names a token twice: give each token one bias</source>
      <translation>logit_bias 中有重复的词元：每个词元只能有一个偏置</translation>
    </message>
    <message>
      <source>longest {time} ms</source>
      <translation>最长 {time} 毫秒</translation>
    </message>
    <message>
      <source>loosen favourite star</source>
      <translation>取消置顶 收藏</translation>
    </message>
    <message>
      <source>made from another file ({file})</source>
      <translation>由另一个文件（{file}）生成</translation>
    </message>
    <message>
      <source>made from {model}</source>
      <translation>由 {model} 制成</translation>
    </message>
    <message>
      <source>made with other options ({options})</source>
      <translation>以其他选项（{options}）生成</translation>
    </message>
    <message numerus="yes">
      <source>median of %n answer(s)</source>
      <translation>
        <numerusform>%n 个回答的中位数</numerusform>
      </translation>
    </message>
    <message>
      <source>memory</source>
      <translation>内存</translation>
    </message>
    <message>
      <source>message {number} follows one that does not stand before it</source>
      <translation>第 {number} 条消息所跟随的消息不在它之前</translation>
    </message>
    <message>
      <source>message {number} has the id of another</source>
      <translation>第 {number} 条消息与另一条的标识相同</translation>
    </message>
    <message>
      <source>min_tokens is {asked}, but the answer may have {limit} tokens at most: ask for fewer, or raise max_tokens</source>
      <translation>min_tokens 为 {asked}，但回答最多 {limit} 个词元：请减小它，或提高 max_tokens</translation>
    </message>
    <message>
      <source>moving {percent} %</source>
      <translation>移动中 {percent} %</translation>
    </message>
    <message>
      <source>ms per step</source>
      <translation>毫秒/步</translation>
    </message>
    <message>
      <source>much smaller, answers hardly change</source>
      <translation>小得多，回答几乎不变</translation>
    </message>
    <message>
      <source>n is {count}, but this engine runs {limit} answers at once: ask for fewer</source>
      <translation>n 为 {count}，但此引擎同时只运行 {limit} 个回答：请减少</translation>
    </message>
    <message>
      <source>no conversations.json is in this zip file.</source>
      <translation>此 zip 文件中没有 conversations.json。</translation>
    </message>
    <message>
      <source>no known kind of file</source>
      <translation>不认识的文件类型</translation>
    </message>
    <message>
      <source>no model</source>
      <translation>无模型</translation>
    </message>
    <message>
      <source>not counted yet</source>
      <translation>尚未计数</translation>
    </message>
    <message>
      <source>nothing computed</source>
      <translation>没有计算</translation>
    </message>
    <message>
      <source>notification alert sound popup</source>
      <translation>通知 提醒 弹窗</translation>
    </message>
    <message>
      <source>numbers from -100 to 100</source>
      <translation>必须是 -100 到 100 的数</translation>
    </message>
    <message>
      <source>of {date}</source>
      <translation>{date}</translation>
    </message>
    <message>
      <source>off</source>
      <translation>关闭</translation>
    </message>
    <message>
      <source>on</source>
      <translation>开启</translation>
    </message>
    <message>
      <source>open</source>
      <translation>已展开</translation>
    </message>
    <message>
      <source>other programs {size}</source>
      <translation>其他程序 {size}</translation>
    </message>
    <message>
      <source>own</source>
      <translation>独占</translation>
    </message>
    <message>
      <source>parallel concurrent batch simultaneous requests</source>
      <translation>并行 并发 批量 同时</translation>
    </message>
    <message>
      <source>pinned</source>
      <translation>已固定</translation>
    </message>
    <message>
      <source>pinned · {notes}</source>
      <translation>已固定 · {notes}</translation>
    </message>
    <message numerus="yes">
      <source>pinned, %n block(s)</source>
      <translation>
        <numerusform>已固定，%n 个块</numerusform>
      </translation>
    </message>
    <message>
      <source>pip left no wheel of {package}: fetch again</source>
      <translation>pip 没有留下 {package} 的安装包：请重新获取</translation>
    </message>
    <message>
      <source>preempted</source>
      <translation>被抢占</translation>
    </message>
    <message>
      <source>preempted, to be computed again</source>
      <translation>被抢占，需重新计算</translation>
    </message>
    <message>
      <source>prompt</source>
      <translation>提示词</translation>
    </message>
    <message>
      <source>prompt tokens</source>
      <translation>提示词元</translation>
    </message>
    <message>
      <source>ram memory context length window kv cache size</source>
      <translation>内存 上下文 长度 窗口 缓存 大小</translation>
    </message>
    <message>
      <source>ram memory swap kv cache</source>
      <translation>内存 交换 缓存</translation>
    </message>
    <message>
      <source>reading</source>
      <translation>读取中</translation>
    </message>
    <message>
      <source>reading {time}</source>
      <translation>读取 {time}</translation>
    </message>
    <message>
      <source>ready</source>
      <translation>就绪</translation>
    </message>
    <message>
      <source>refs {count}</source>
      <translation>引用 {count}</translation>
    </message>
    <message>
      <source>refs {count} or more</source>
      <translation>引用 {count} 或更多</translation>
    </message>
    <message>
      <source>regenerate retry redo another answer</source>
      <translation>重新生成 重试 再答</translation>
    </message>
    <message>
      <source>remove</source>
      <translation>移除</translation>
    </message>
    <message>
      <source>remove trash bin</source>
      <translation>移除 回收站</translation>
    </message>
    <message>
      <source>resume go on</source>
      <translation>接着 继续</translation>
    </message>
    <message>
      <source>sampling creativity randomness random creative</source>
      <translation>采样 随机 创造力 创意</translation>
    </message>
    <message>
      <source>sampling nucleus randomness random</source>
      <translation>采样 核采样 随机</translation>
    </message>
    <message>
      <source>sampling random reproducible repeatable deterministic</source>
      <translation>采样 随机 可重现 可重复 确定</translation>
    </message>
    <message>
      <source>sampling randomness random</source>
      <translation>采样 随机</translation>
    </message>
    <message>
      <source>sampling repeat loop frequency presence</source>
      <translation>采样 重复 循环 频率 存在</translation>
    </message>
    <message>
      <source>saved</source>
      <translation>节省</translation>
    </message>
    <message>
      <source>seconds ago</source>
      <translation>秒前</translation>
    </message>
    <message>
      <source>seed {seed}</source>
      <translation>种子 {seed}</translation>
    </message>
    <message>
      <source>set aside for other chats {time}</source>
      <translation>为其他聊天让位 {time}</translation>
    </message>
    <message>
      <source>shared</source>
      <translation>共享</translation>
    </message>
    <message>
      <source>shared by chats</source>
      <translation>聊天共享</translation>
    </message>
    <message>
      <source>shorten the chat, let it forget its oldest turns, or ask for a shorter answer</source>
      <translation>请缩短聊天，让它忘记最早的轮次，或要求较短的回答</translation>
    </message>
    <message>
      <source>shorten the chat, or ask for a shorter answer</source>
      <translation>请缩短聊天，或要求较短的回答</translation>
    </message>
    <message>
      <source>shorten the chat, or let it forget its oldest turns</source>
      <translation>请缩短聊天，或让它忘记最早的轮次</translation>
    </message>
    <message>
      <source>shorten the message</source>
      <translation>请缩短消息</translation>
    </message>
    <message>
      <source>shorten the message or ask for a shorter answer</source>
      <translation>请缩短消息，或要求较短的回答</translation>
    </message>
    <message>
      <source>shorten the message, or ask for a shorter answer</source>
      <translation>请缩短消息，或要求较短的回答</translation>
    </message>
    <message>
      <source>size scale font text larger smaller big small dpi</source>
      <translation>大小 比例 字体 文字 放大 缩小</translation>
    </message>
    <message>
      <source>sleep suspend standby power energy battery</source>
      <translation>睡眠 休眠 待机 电源 节能 电池</translation>
    </message>
    <message>
      <source>somebody waits</source>
      <translation>有聊天在等待</translation>
    </message>
    <message>
      <source>speculative decoding speed faster draft</source>
      <translation>推测解码 投机 速度 加速</translation>
    </message>
    <message>
      <source>starting</source>
      <translation>正在启动</translation>
    </message>
    <message>
      <source>state</source>
      <translation>状态</translation>
    </message>
    <message>
      <source>steps</source>
      <translation>步</translation>
    </message>
    <message>
      <source>stop</source>
      <translation>停止</translation>
    </message>
    <message>
      <source>stopped</source>
      <translation>已停止</translation>
    </message>
    <message>
      <source>stopped at the limit</source>
      <translation>到达上限而停止</translation>
    </message>
    <message>
      <source>stopped at the limit of {tokens}</source>
      <translation>到达 {tokens}的上限而停止</translation>
    </message>
    <message>
      <source>strings that are not empty</source>
      <translation>必须是非空文本</translation>
    </message>
    <message>
      <source>swapped</source>
      <translation>已换出</translation>
    </message>
    <message>
      <source>swapped out</source>
      <translation>已换出</translation>
    </message>
    <message>
      <source>system prompt and newest message alone</source>
      <translation>仅系统提示词和最新消息就有</translation>
    </message>
    <message>
      <source>t/s</source>
      <comment>tokens per second</comment>
      <translation>词元/秒</translation>
    </message>
    <message>
      <source>terms accepted</source>
      <translation>已接受条款</translation>
    </message>
    <message>
      <source>terms to accept</source>
      <translation>需接受条款</translation>
    </message>
    <message>
      <source>text</source>
      <translation>文本</translation>
    </message>
    <message>
      <source>the file's own precision, kept wherever it can be</source>
      <translation>文件本身的精度，尽可能原样保留</translation>
    </message>
    <message>
      <source>the largest, answers as of the original</source>
      <translation>最大，回答与原版相同</translation>
    </message>
    <message>
      <source>the last answer failed</source>
      <translation>上一条回答失败</translation>
    </message>
    <message>
      <source>the model's context</source>
      <translation>模型的上下文</translation>
    </message>
    <message>
      <source>the same one, smallest</source>
      <translation>同一个模型，“最小”质量</translation>
    </message>
    <message>
      <source>the same tokenizer</source>
      <translation>分词器相同</translation>
    </message>
    <message>
      <source>the whole block pool</source>
      <translation>整个块池</translation>
    </message>
    <message>
      <source>the zip file is damaged: {why}</source>
      <translation>zip 文件已损坏：{why}</translation>
    </message>
    <message>
      <source>thinking</source>
      <translation>正在思考</translation>
    </message>
    <message>
      <source>this number</source>
      <translation>此编号</translation>
    </message>
    <message>
      <source>this program {size}</source>
      <translation>本程序 {size}</translation>
    </message>
    <message>
      <source>this text</source>
      <translation>这段文本</translation>
    </message>
    <message>
      <source>time of a step; below it, chats at once</source>
      <translation>每步时间；其下为同时的聊天数</translation>
    </message>
    <message>
      <source>timeout_s is {value}: it must be above 0, or None for no limit</source>
      <translation>timeout_s 为 {value}：必须大于 0，或为 None（不限）</translation>
    </message>
    <message>
      <source>title name</source>
      <translation>标题 名称</translation>
    </message>
    <message>
      <source>tok</source>
      <comment>tokens</comment>
      <translation>词元</translation>
    </message>
    <message>
      <source>tok/s</source>
      <translation>词元/秒</translation>
    </message>
    <message>
      <source>tokens</source>
      <translation>词元</translation>
    </message>
    <message>
      <source>tokens of answers</source>
      <translation>回答的词元</translation>
    </message>
    <message>
      <source>tokens of prompts</source>
      <translation>提示词的词元</translation>
    </message>
    <message>
      <source>tokens {first}–{last}</source>
      <translation>词元 {first}–{last}</translation>
    </message>
    <message>
      <source>translation english chinese</source>
      <translation>语言 翻译 英文 英语 中文 汉语</translation>
    </message>
    <message>
      <source>true or false</source>
      <translation>真或假</translation>
    </message>
    <message>
      <source>turn 1</source>
      <translation>第 1 轮</translation>
    </message>
    <message>
      <source>turns 1 and 2</source>
      <translation>第 1 和第 2 轮</translation>
    </message>
    <message>
      <source>turns 1 to {last}</source>
      <translation>第 1 至第 {last} 轮</translation>
    </message>
    <message numerus="yes">
      <source>up to %n waiting</source>
      <translation>
        <numerusform>最多 %n 个等待中</numerusform>
      </translation>
    </message>
    <message>
      <source>up to {asked} of answer</source>
      <translation>回答最多 {asked} 个</translation>
    </message>
    <message>
      <source>up to {time} to convert on an ordinary laptop</source>
      <translation>在普通笔记本上转换最多 {time}</translation>
    </message>
    <message>
      <source>up to {time} to convert there</source>
      <translation>在其上转换最多 {time}</translation>
    </message>
    <message>
      <source>use switch start choose</source>
      <translation>使用 切换 启动 选择</translation>
    </message>
    <message>
      <source>used by</source>
      <translation>使用者</translation>
    </message>
    <message>
      <source>verifying</source>
      <translation>校验中</translation>
    </message>
    <message>
      <source>waiting</source>
      <translation>等待中</translation>
    </message>
    <message>
      <source>waiting {time}</source>
      <translation>等待 {time}</translation>
    </message>
    <message>
      <source>was damaged</source>
      <translation>已损坏</translation>
    </message>
    <message>
      <source>weights</source>
      <translation>权重</translation>
    </message>
    <message>
      <source>without a chat</source>
      <translation>没有聊天</translation>
    </message>
    <message>
      <source>workspace</source>
      <translation>工作区</translation>
    </message>
    <message>
      <source>workspace and program</source>
      <translation>工作区和程序</translation>
    </message>
    <message>
      <source>writing</source>
      <translation>书写中</translation>
    </message>
    <message>
      <source>writing {time}</source>
      <translation>书写 {time}</translation>
    </message>
    <message>
      <source>written just now</source>
      <translation>刚刚写入</translation>
    </message>
    <message>
      <source>written {time} ago</source>
      <translation>{time} 前写入</translation>
    </message>
    <message>
      <source>{all} on disk: {size} the model, {prepared} a copy prepared for this machine</source>
      <translation>磁盘占用 {all}：模型 {size}，为本机准备的副本 {prepared}</translation>
    </message>
    <message>
      <source>{bits} bits a weight</source>
      <translation>每个权重 {bits} 位</translation>
    </message>
    <message>
      <source>{bits} bits are not supported: use auto, 3, 4, 5 or 8</source>
      <translation>不支持 {bits} 位：请使用 auto、3、4、5 或 8</translation>
    </message>
    <message>
      <source>{bits} bits in groups of {size}</source>
      <translation>{bits} 位，每组 {size}</translation>
    </message>
    <message>
      <source>{bits} bits with minimum in groups of {size}</source>
      <translation>{bits} 位（含最小值），每组 {size}</translation>
    </message>
    <message>
      <source>{choice}.
Change it in the options of the chat.</source>
      <translation>{choice}。
可在聊天选项中更改。</translation>
    </message>
    <message>
      <source>{count} answer still running on {name}: stop them or wait until they end</source>
      <translation>{name} 上还有 {count} 个回答在进行：请停止它们或等它们结束</translation>
    </message>
    <message>
      <source>{count} answers still running on {name}: stop them or wait until they end</source>
      <translation>{name} 上还有 {count} 个回答在进行：请停止它们或等它们结束</translation>
    </message>
    <message>
      <source>{count} chats wait to be saved already: try again when one of them is</source>
      <translation>已有 {count} 个聊天等待保存：请等其中一个保存后再试</translation>
    </message>
    <message>
      <source>{count} more</source>
      <translation>另外 {count} 个</translation>
    </message>
    <message>
      <source>{count} requests are waiting already, which is the limit: try again when one has finished</source>
      <translation>已有 {count} 个请求在等待，已达上限：请等其中一个结束后再试</translation>
    </message>
    <message>
      <source>{count} running</source>
      <translation>{count} 个运行中</translation>
    </message>
    <message>
      <source>{count} swapped out</source>
      <translation>{count} 个已换出</translation>
    </message>
    <message>
      <source>{count} waiting</source>
      <translation>{count} 个等待中</translation>
    </message>
    <message>
      <source>{count}× reused</source>
      <translation>重用 {count} 次</translation>
    </message>
    <message numerus="yes">
      <source>{day} · %n message(s) of “{chat}”</source>
      <translation>
        <numerusform>{day} · “{chat}”中的 %n 条消息</numerusform>
      </translation>
    </message>
    <message>
      <source>{done} of {total} {unit}</source>
      <translation>{done} / {total} {unit}</translation>
    </message>
    <message>
      <source>{download} to download · then {size} on disk, and as much again for a copy prepared for this machine</source>
      <translation>需下载 {download} · 之后占用磁盘 {size}，为本机准备的副本再占同样多</translation>
    </message>
    <message>
      <source>{draft} cannot guess tokens of {name}: {sizes} tokens against {others}, of {tokenizer}. Pick a smaller model of the same family, or let it guess from the chat's own text (Settings, Engine)</source>
      <translation>{draft} 不能为 {name} 猜测词元：{sizes} 个词元对 {others} 个，{tokenizer}。请选择同一家族的较小模型，或让它从聊天自身的文本中猜测（设置，引擎）</translation>
    </message>
    <message>
      <source>{exact} of {all} matrices exactly as in the source</source>
      <translation>{all} 个矩阵中有 {exact} 个与来源完全一致</translation>
    </message>
    <message>
      <source>{file} has changed on the hub meanwhile: look at the repository again</source>
      <translation>{file} 在模型站上已有变化：请重新查看仓库</translation>
    </message>
    <message>
      <source>{file} has the checksum {found}…, must have {wanted}…: download it again, and do not use the file if this repeats</source>
      <translation>{file} 的校验和为 {found}…，应为 {wanted}…：请重新下载；如果再次发生，请不要使用此文件</translation>
    </message>
    <message>
      <source>{file} has the sha256 {found}…, must have {wanted}…: fetch again, and do not use the file if this repeats</source>
      <translation>{file} 的 sha256 为 {found}…，应为 {wanted}…：请重新获取；如果再次发生，请不要使用此文件</translation>
    </message>
    <message>
      <source>{file} is longer than {size} bytes: do not use this package</source>
      <translation>{file} 超过 {size} 字节：请不要使用此安装包</translation>
    </message>
    <message>
      <source>{file}: {verdict}</source>
      <translation>{file}：{verdict}</translation>
    </message>
    <message>
      <source>{folder} has AWQ weights of {bits} bits in the layout {layout}, supported are 4 bits in 'gemm'</source>
      <translation>{folder} 的 AWQ 权重为 {bits} 位、布局 {layout}，支持的是 4 位 'gemm'</translation>
    </message>
    <message>
      <source>{folder} has GPTQ weights in the layout {layout}, supported are {known}</source>
      <translation>{folder} 的 GPTQ 权重布局为 {layout}，支持的有 {known}</translation>
    </message>
    <message>
      <source>{folder} has GPTQ weights of several kinds (dynamic), supported is one</source>
      <translation>{folder} 有多种 GPTQ 权重（dynamic），只支持一种</translation>
    </message>
    <message>
      <source>{folder} has GPTQ weights of {bits} bits, supported are {known}</source>
      <translation>{folder} 的 GPTQ 权重为 {bits} 位，支持的有 {known}</translation>
    </message>
    <message>
      <source>{folder} has a tokenizer of {size} tokens and weights for {count}</source>
      <translation>{folder} 的分词器有 {size} 个词元，而权重有 {count} 个</translation>
    </message>
    <message>
      <source>{folder} has blocks of {size} weights</source>
      <translation>{folder} 每块有 {size} 个权重</translation>
    </message>
    <message>
      <source>{folder} has format version {version}, this program reads {known}: use the program that made it, or convert the model again under another name</source>
      <translation>{folder} 的格式版本为 {version}，此程序读取 {known}：请使用生成它的程序，或以另一个名称重新转换模型</translation>
    </message>
    <message>
      <source>{folder} has groups of {size} weights</source>
      <translation>{folder} 每组有 {size} 个权重</translation>
    </message>
    <message>
      <source>{folder} has no tensor {name}, which every decoder has</source>
      <translation>{folder} 没有每个解码器都有的张量 {name}</translation>
    </message>
    <message>
      <source>{folder} has no tokenizer</source>
      <translation>{folder} 中没有分词器</translation>
    </message>
    <message>
      <source>{folder} has no whole model in safetensors</source>
      <translation>{folder} 中没有完整的 safetensors 模型</translation>
    </message>
    <message>
      <source>{folder} has no {file}</source>
      <translation>{folder} 中没有 {file}</translation>
    </message>
    <message>
      <source>{folder} has no {lacking}: give the folder of a whole model, or a GGUF file</source>
      <translation>{folder} 中没有 {lacking}：请指定完整模型的文件夹，或 GGUF 文件</translation>
    </message>
    <message>
      <source>{folder} has weights of {bits} bits, supported is one of 4 and 8 for all of them</source>
      <translation>{folder} 的权重为 {bits} 位，只支持全部为 4 位或全部为 8 位</translation>
    </message>
    <message>
      <source>{folder} has {count} models: give the file of one, such as {example}</source>
      <translation>{folder} 中有 {count} 个模型：请指定其中一个文件，例如 {example}</translation>
    </message>
    <message>
      <source>{folder} has {name} packed, but config.json says nothing of how</source>
      <translation>{folder} 中 {name} 是打包的，但 config.json 没有说明方式</translation>
    </message>
    <message>
      <source>{folder} has {name} packed, but config.json tells no bits</source>
      <translation>{folder} 中 {name} 是打包的，但 config.json 没有给出位数</translation>
    </message>
    <message>
      <source>{folder} has {name}, which this family of models does not use</source>
      <translation>{folder} 有此模型家族不使用的 {name}</translation>
    </message>
    <message>
      <source>{folder} holds no model, only {part}: give a model's file</source>
      <translation>{folder} 中没有模型，只有 {part}：请指定模型文件</translation>
    </message>
    <message>
      <source>{folder} holds the model {name}: give the folder that name</source>
      <translation>{folder} 中是模型 {name}：请给文件夹改成这个名称</translation>
    </message>
    <message>
      <source>{folder} is a file: choose a folder</source>
      <translation>{folder} 是文件：请选择文件夹</translation>
    </message>
    <message>
      <source>{folder} is compressed as {kind}, supported are {known}</source>
      <translation>{folder} 以 {kind} 压缩，支持的有 {known}</translation>
    </message>
    <message>
      <source>{folder} is inside the models' folder {other}: choose one outside of it</source>
      <translation>{folder} 在模型文件夹 {other} 之内：请选择它之外的文件夹</translation>
    </message>
    <message>
      <source>{folder} is no model, it has no {file}: if it is in the way, move it</source>
      <translation>{folder} 不是模型，其中没有 {file}：如果它碍事，请移走它</translation>
    </message>
    <message>
      <source>{folder} is not there now</source>
      <translation>{folder} 现在不存在</translation>
    </message>
    <message>
      <source>{folder} is packed as {packing}, supported are {known}</source>
      <translation>{folder} 以 {packing} 打包，支持的有 {known}</translation>
    </message>
    <message>
      <source>{folder} is quantised by {method}, supported are {known}</source>
      <translation>{folder} 以 {method} 量化，支持的有 {known}</translation>
    </message>
    <message>
      <source>{folder} lacks the key {key}</source>
      <translation>{folder} 缺少键 {key}</translation>
    </message>
    <message>
      <source>{folder} lacks the tensor {name}</source>
      <translation>{folder} 缺少张量 {name}</translation>
    </message>
    <message>
      <source>{folder} lacks the tensors {name} and {other}</source>
      <translation>{folder} 缺少张量 {name} 和 {other}</translation>
    </message>
    <message>
      <source>{folder} lacks {shown} of the model's {count} files</source>
      <translation>{folder} 缺少模型 {count} 个文件中的 {shown}</translation>
    </message>
    <message>
      <source>{folder}: quantization_config is no table</source>
      <translation>{folder}：quantization_config 不是表</translation>
    </message>
    <message>
      <source>{free} free in {folder}</source>
      <translation>{folder} 中可用 {free}</translation>
    </message>
    <message>
      <source>{hours} h {minutes} min</source>
      <translation>{hours} 小时 {minutes} 分钟</translation>
    </message>
    <message>
      <source>{matrix} in layers {layers}</source>
      <translation>第 {layers} 层的 {matrix}</translation>
    </message>
    <message>
      <source>{matrix}: {format}, exactly from {source}</source>
      <translation>{matrix}：{format}，与来源 {source} 完全一致</translation>
    </message>
    <message>
      <source>{matrix}: {format}, from {source}</source>
      <translation>{matrix}：{format}，来源 {source}</translation>
    </message>
    <message>
      <source>{matrix}: {format}, from {source}, error {error} %</source>
      <translation>{matrix}：{format}，来源 {source}，误差 {error} %</translation>
    </message>
    <message>
      <source>{model} is in the trash, from which it goes after 30 days.</source>
      <translation>{model} 在回收站中，30 天后清除。</translation>
    </message>
    <message>
      <source>{model} is ready</source>
      <translation>{model} 已就绪</translation>
    </message>
    <message>
      <source>{model} · Ask something; Shift+Enter breaks the line.</source>
      <translation>{model} · 请提问；Shift+Enter 换行。</translation>
    </message>
    <message>
      <source>{name} (not saved)</source>
      <translation>{name}（未保存）</translation>
    </message>
    <message>
      <source>{name} ({size} MiB of weights) does not fit the {free} MiB of free memory: close other programs or pick a smaller model</source>
      <translation>{name}（权重 {size} MiB）放不进 {free} MiB 的可用内存：请关闭其他程序，或选择较小的模型</translation>
    </message>
    <message>
      <source>{name} cannot be read: {cause}. {advice}</source>
      <translation>无法读取 {name}：{cause}。{advice}</translation>
    </message>
    <message>
      <source>{name} cannot be read: {why}. {advice}</source>
      <translation>无法读取 {name}：{why}。{advice}</translation>
    </message>
    <message>
      <source>{name} cannot be run: a part of this program is missing or damaged. Install the program again</source>
      <translation>无法运行 {name}：本程序的一部分缺失或已损坏。请重新安装程序</translation>
    </message>
    <message>
      <source>{name} has a damaged quantisation state</source>
      <translation>{name} 的量化状态已损坏</translation>
    </message>
    <message>
      <source>{name} has damaged nested scales</source>
      <translation>{name} 的嵌套缩放已损坏</translation>
    </message>
    <message>
      <source>{name} has no text in it.</source>
      <translation>{name} 中没有文本。</translation>
    </message>
    <message>
      <source>{name} has no text in it: its pages are pictures.</source>
      <translation>{name} 中没有文本：其页面都是图片。</translation>
    </message>
    <message>
      <source>{name} has rows of {columns} weights, groups of {size} do not divide them: no group (32, 64 or 128) does, choose another model</source>
      <translation>{name} 每行有 {columns} 个权重，{size} 个一组不能整除：任何分组（32、64 或 128）都不行，请选择另一个模型</translation>
    </message>
    <message>
      <source>{name} has rows of {columns} weights, groups of {size} do not divide them: use groups of {fitting}</source>
      <translation>{name} 每行有 {columns} 个权重，{size} 个一组不能整除：请使用 {fitting} 个一组</translation>
    </message>
    <message>
      <source>{name} has the token {token}: this model's tokens are 0 to {last}</source>
      <translation>{name} 含词元 {token}：此模型的词元为 0 到 {last}</translation>
    </message>
    <message>
      <source>{name} has the type {kind}, which cannot be read</source>
      <translation>{name} 的类型为 {kind}，无法读取</translation>
    </message>
    <message>
      <source>{name} has weights of a model, and no text. To use the model, drop its GGUF file, or its folder with safetensors.</source>
      <translation>{name} 是模型的权重，不是文本。要使用该模型，请拖入其 GGUF 文件或含 safetensors 的文件夹。</translation>
    </message>
    <message>
      <source>{name} has {size} bytes of codes for {shape}</source>
      <translation>{name} 有 {size} 字节的编码，形状为 {shape}</translation>
    </message>
    <message>
      <source>{name} holds no chats.</source>
      <translation>{name} 中没有聊天。</translation>
    </message>
    <message>
      <source>{name} is a folder or a model, and no text: drop it alone to use it as a model.</source>
      <translation>{name} 是文件夹或模型，不是文本：请单独拖入，以将其用作模型。</translation>
    </message>
    <message>
      <source>{name} is being converted by another process or job: wait until it has ended</source>
      <translation>另一个进程或任务正在转换 {name}：请等它结束</translation>
    </message>
    <message>
      <source>{name} is being downloaded by another process or job: wait until it has ended</source>
      <translation>另一个进程或任务正在下载 {name}：请等它结束</translation>
    </message>
    <message>
      <source>{name} is being fetched by another process or job: wait until it has ended</source>
      <translation>另一个进程或任务正在获取 {name}：请等它结束</translation>
    </message>
    <message>
      <source>{name} is being worked on by another process or job: wait until it has ended</source>
      <translation>另一个进程或任务正在处理 {name}：请等它结束</translation>
    </message>
    <message>
      <source>{name} is called {new_name} already: choose another name</source>
      <translation>{name} 已叫 {new_name}：请选择另一个名称</translation>
    </message>
    <message>
      <source>{name} is in {file} and in {other}</source>
      <translation>{name} 同时在 {file} 和 {other} 中</translation>
    </message>
    <message>
      <source>{name} is loaded: unload it first, or load another model</source>
      <translation>{name} 已加载：请先卸载它，或加载另一个模型</translation>
    </message>
    <message>
      <source>{name} is not a text file: attach text, source code or PDF.</source>
      <translation>{name} 不是文本文件：请附加文本、源代码或 PDF。</translation>
    </message>
    <message>
      <source>{name} is not here yet (models: {have}): get it on the page Models</source>
      <translation>{name} 还没有获取（现有模型：{have}）：请在“模型”页获取它</translation>
    </message>
    <message>
      <source>{name} is not used: {reason}</source>
      <translation>未使用 {name}：{reason}</translation>
    </message>
    <message>
      <source>{name} is one of {count} parts, of which {missing} is missing</source>
      <translation>{name} 是 {count} 个部分之一，缺少 {missing}</translation>
    </message>
    <message>
      <source>{name} is too large: {size}, at most {most}. Attach a part of it.</source>
      <translation>{name} 太大：{size}，最多 {most}。请只附加其中一部分。</translation>
    </message>
    <message>
      <source>{name} is too long: {number} characters, at most {most}. Attach a part of it.</source>
      <translation>{name} 太长：{number} 个字符，最多 {most}。请只附加其中一部分。</translation>
    </message>
    <message>
      <source>{name} is {found} with scales {scales}</source>
      <translation>{name} 为 {found}，缩放为 {scales}</translation>
    </message>
    <message>
      <source>{name} is {found}, must be {wanted}</source>
      <translation>{name} 为 {found}，应为 {wanted}</translation>
    </message>
    <message>
      <source>{name} is {found}, which does not fit</source>
      <translation>{name} 为 {found}，与其余不符</translation>
    </message>
    <message>
      <source>{name} is {found}, which does not fit {other}</source>
      <translation>{name} 为 {found}，与 {other} 不符</translation>
    </message>
    <message>
      <source>{name} is {kind}, and nothing beside it says what its numbers stand for</source>
      <translation>{name} 为 {kind}，旁边没有说明其数值的含义</translation>
    </message>
    <message>
      <source>{name} is {shape}, 3 bits need multiples of 32</source>
      <translation>{name} 为 {shape}，3 位需要 32 的倍数</translation>
    </message>
    <message>
      <source>{name} is {value}: it must be {wanted}</source>
      <translation>{name} 为 {value}：{wanted}</translation>
    </message>
    <message>
      <source>{name} lacks its quantisation state</source>
      <translation>{name} 缺少量化状态</translation>
    </message>
    <message>
      <source>{name} lacks its table of {size} numbers</source>
      <translation>{name} 缺少 {size} 个数的表</translation>
    </message>
    <message>
      <source>{name} must put {columns} columns into {groups} groups, it does not</source>
      <translation>{name} 应把 {columns} 列放进 {groups} 组，实际没有</translation>
    </message>
    <message>
      <source>{name} needs more memory than is free: close other programs</source>
      <translation>{name} 需要的内存多于可用内存：请关闭其他程序</translation>
    </message>
    <message>
      <source>{name} says it is {told}, its codes are {shape}</source>
      <translation>{name} 自称为 {told}，其编码为 {shape}</translation>
    </message>
    <message>
      <source>{name}: its scales are not finite</source>
      <translation>{name}：其缩放不是有限的数</translation>
    </message>
    <message>
      <source>{name}: qweight is {found}</source>
      <translation>{name}：qweight 为 {found}</translation>
    </message>
    <message>
      <source>{name}: qweight is {found}, no packing of {bits} bits</source>
      <translation>{name}：qweight 为 {found}，不是 {bits} 位的打包</translation>
    </message>
    <message>
      <source>{name}: {promise}</source>
      <translation>{name}：{promise}</translation>
    </message>
    <message>
      <source>{number} B parameters</source>
      <translation>{number}B 参数</translation>
    </message>
    <message>
      <source>{number} M parameters</source>
      <translation>{number}M 参数</translation>
    </message>
    <message>
      <source>{number} cached</source>
      <translation>已缓存 {number}</translation>
    </message>
    <message>
      <source>{number} layers</source>
      <translation>{number} 层</translation>
    </message>
    <message>
      <source>{number} min</source>
      <translation>{number} 分钟</translation>
    </message>
    <message>
      <source>{number} s</source>
      <translation>{number} 秒</translation>
    </message>
    <message>
      <source>{number} tokens</source>
      <translation>{number} 个词元</translation>
    </message>
    <message>
      <source>{number}nd</source>
      <translation>第 {number}</translation>
    </message>
    <message>
      <source>{number}rd</source>
      <translation>第 {number}</translation>
    </message>
    <message>
      <source>{number}st</source>
      <translation>第 {number}</translation>
    </message>
    <message>
      <source>{number}th</source>
      <translation>第 {number}</translation>
    </message>
    <message>
      <source>{owner} may grow to {length} tokens, beyond {limit}, up to which this model's texts can be saved: go on with shorter answers, then save it</source>
      <translation>{owner} 可能增长到 {length} 个词元，超过此模型可保存的 {limit} 个：请以较短的回答继续，然后再保存</translation>
    </message>
    <message>
      <source>{path} cannot be written: {why}. {advice}</source>
      <translation>无法写入 {path}：{why}。{advice}</translation>
    </message>
    <message>
      <source>{path} claims {layers} layers and {count} tokens of context</source>
      <translation>{path} 声称有 {layers} 层、上下文 {count} 个词元</translation>
    </message>
    <message>
      <source>{path} could not be copied into the cache ({reason})</source>
      <translation>{path} 无法复制到缓存中（{reason}）</translation>
    </message>
    <message>
      <source>{path} differs from its recorded sha256: convert the model again</source>
      <translation>{path} 与记录的 sha256 不符：请重新转换模型</translation>
    </message>
    <message>
      <source>{path} does not number its tokens from 0 on</source>
      <translation>{path} 的词元编号不是从 0 开始</translation>
    </message>
    <message>
      <source>{path} has GGUF version {version}, 2 and 3 can be read</source>
      <translation>{path} 的 GGUF 版本为 {version}，只能读取 2 和 3</translation>
    </message>
    <message>
      <source>{path} has a damaged header</source>
      <translation>{path} 的文件头已损坏</translation>
    </message>
    <message>
      <source>{path} has a header that is no table</source>
      <translation>{path} 的文件头不是表</translation>
    </message>
    <message>
      <source>{path} has a tokenizer of the kind {kind}, supported are {known}</source>
      <translation>{path} 的分词器种类为 {kind}，支持的有 {known}</translation>
    </message>
    <message>
      <source>{path} has the architecture {architecture}, supported are {known}</source>
      <translation>{path} 的架构为 {architecture}，支持的有 {known}</translation>
    </message>
    <message>
      <source>{path} has vocab.json and merges.txt for {kind}, supported are {known}</source>
      <translation>{path} 的 vocab.json 和 merges.txt 属于 {kind}，支持的有 {known}</translation>
    </message>
    <message>
      <source>{path} has {count} tensors that no {family} model uses, such as {name}</source>
      <translation>{path} 有 {count} 个 {family} 模型不使用的张量，例如 {name}</translation>
    </message>
    <message>
      <source>{path} has {count} tokens and {kinds} token types</source>
      <translation>{path} 有 {count} 个词元，却有 {kinds} 个词元类型</translation>
    </message>
    <message>
      <source>{path} has {count} tokens and {scores} scores</source>
      <translation>{path} 有 {count} 个词元，却有 {scores} 个分数</translation>
    </message>
    <message>
      <source>{path} has {size} bytes, its tensors end at {end}</source>
      <translation>{path} 有 {size} 字节，而其张量到 {end} 才结束</translation>
    </message>
    <message>
      <source>{path} has {size} bytes, more than any such file</source>
      <translation>{path} 有 {size} 字节，比任何此类文件都大</translation>
    </message>
    <message>
      <source>{path} has {size} bytes, must have {wanted}: convert the model again</source>
      <translation>{path} 有 {size} 字节，应为 {wanted}：请重新转换模型</translation>
    </message>
    <message>
      <source>{path} is a big-endian GGUF file</source>
      <translation>{path} 是大端格式的 GGUF 文件</translation>
    </message>
    <message>
      <source>{path} is a folder or a device, no file: choose another name to save to</source>
      <translation>{path} 是文件夹或设备，不是文件：请选择另一个保存名称</translation>
    </message>
    <message>
      <source>{path} is a pickle, which can run any program when it is opened</source>
      <translation>{path} 是 pickle 文件，打开时可以运行任意程序</translation>
    </message>
    <message>
      <source>{path} is a {kind} model, only BPE can be read</source>
      <translation>{path} 是 {kind} 模型，只能读取 BPE</translation>
    </message>
    <message>
      <source>{path} is being made by another process</source>
      <translation>另一个进程正在生成 {path}</translation>
    </message>
    <message>
      <source>{path} is damaged ({reason})</source>
      <translation>{path} 已损坏（{reason}）</translation>
    </message>
    <message>
      <source>{path} is damaged ({reason}): convert the model again</source>
      <translation>{path} 已损坏（{reason}）：请重新转换模型</translation>
    </message>
    <message>
      <source>{path} is damaged ({reason}): remove the folder, then convert the model again</source>
      <translation>{path} 已损坏（{reason}）：请删除该文件夹，然后重新转换模型</translation>
    </message>
    <message>
      <source>{path} is damaged, {reason}</source>
      <translation>{path} 已损坏，{reason}</translation>
    </message>
    <message>
      <source>{path} is missing: convert the model again</source>
      <translation>缺少 {path}：请重新转换模型</translation>
    </message>
    <message>
      <source>{path} is no JSON object</source>
      <translation>{path} 不是 JSON 对象</translation>
    </message>
    <message>
      <source>{path} is no SentencePiece model</source>
      <translation>{path} 不是 SentencePiece 模型</translation>
    </message>
    <message>
      <source>{path} is no ordinary file</source>
      <translation>{path} 不是普通文件</translation>
    </message>
    <message>
      <source>{path} is no text in UTF-8</source>
      <translation>{path} 不是 UTF-8 文本</translation>
    </message>
    <message>
      <source>{path} is no tokenizer ({reason})</source>
      <translation>{path} 不是分词器（{reason}）</translation>
    </message>
    <message>
      <source>{path} is no tokenizer ({reason}): convert the model again</source>
      <translation>{path} 不是分词器（{reason}）：请重新转换模型</translation>
    </message>
    <message>
      <source>{path} is no whole safetensors file</source>
      <translation>{path} 不是完整的 safetensors 文件</translation>
    </message>
    <message>
      <source>{path} is not a GGUF file, whatever its name says</source>
      <translation>{path} 不是 GGUF 文件（不论其名称如何）</translation>
    </message>
    <message>
      <source>{path} lacks {name}: convert the model again</source>
      <translation>{path} 缺少 {name}：请重新转换模型</translation>
    </message>
    <message>
      <source>{path} names no files</source>
      <translation>{path} 没有列出文件</translation>
    </message>
    <message>
      <source>{path} names {name}, which is no file of this folder</source>
      <translation>{path} 提到的 {name} 不是此文件夹中的文件</translation>
    </message>
    <message>
      <source>{path} needs {key}, which is not supported</source>
      <translation>{path} 需要不支持的 {key}</translation>
    </message>
    <message>
      <source>{path} rotates {size} of {total} dimensions of a head</source>
      <translation>{path} 旋转一个头 {total} 维中的 {size} 维</translation>
    </message>
    <message>
      <source>{path} routes its experts without a softmax</source>
      <translation>{path} 不用 softmax 分派专家</translation>
    </message>
    <message>
      <source>{path} says that it is part {index} of {count}: give the parts their names back (…-00001-of-0000N.gguf), all in one folder</source>
      <translation>{path} 是 {count} 个部分中的第 {index} 个：请恢复各部分的名称（…-00001-of-0000N.gguf），并放在同一个文件夹中</translation>
    </message>
    <message>
      <source>{path} scales its rotary embedding by {kind}, supported are {known}</source>
      <translation>{path} 以 {kind} 缩放旋转位置编码，支持的有 {known}</translation>
    </message>
    <message>
      <source>{path} splits text in the unknown way {kind}, supported are {known}</source>
      <translation>{path} 以未知方式 {kind} 切分文本，支持的有 {known}</translation>
    </message>
    <message>
      <source>{path} was cut short, get it again: it ends within {place}</source>
      <translation>{path} 不完整，请重新获取：它在 {place} 中间结束</translation>
    </message>
    <message>
      <source>{path} was cut short, get it again: it has {size} bytes, {name} ends at {end}</source>
      <translation>{path} 不完整，请重新获取：它有 {size} 字节，而 {name} 到 {end} 才结束</translation>
    </message>
    <message>
      <source>{path} was read for {name}, which is no longer loaded</source>
      <translation>{path} 是为 {name} 读取的，而它已不再加载</translation>
    </message>
    <message>
      <source>{path}: heads of {size} for keys and {other} for values do not work</source>
      <translation>{path}：键的头大小为 {size}、值的头大小为 {other}，无法使用</translation>
    </message>
    <message>
      <source>{path}: the added token {token} has the number {number}, which is not free</source>
      <translation>{path}：新增词元 {token} 的编号 {number} 已被占用</translation>
    </message>
    <message>
      <source>{path}: the merge of {left} and {right} is not in the vocabulary</source>
      <translation>{path}：{left} 与 {right} 的合并不在词表中</translation>
    </message>
    <message>
      <source>{path}: the token {token} is outside the {count} tokens</source>
      <translation>{path}：词元 {token} 不在 {count} 个词元之内</translation>
    </message>
    <message>
      <source>{path}: the vocabulary of {count} tokens is damaged</source>
      <translation>{path}：{count} 个词元的词表已损坏</translation>
    </message>
    <message>
      <source>{path}: the {name} token {token} is outside the {count} tokens</source>
      <translation>{path}：{name} 词元 {token} 不在 {count} 个词元之内</translation>
    </message>
    <message>
      <source>{path}: {heads} heads cannot share {kv_heads} key-value heads</source>
      <translation>{path}：{heads} 个头不能共用 {kv_heads} 个键值头</translation>
    </message>
    <message>
      <source>{path}: {heads} heads do not divide {size} and no key_length is given</source>
      <translation>{path}：{heads} 个头不能整除 {size}，且没有给出 key_length</translation>
    </message>
    <message>
      <source>{path}: {key} is {value}</source>
      <translation>{path}：{key} 为 {value}</translation>
    </message>
    <message>
      <source>{path}: {key} is {value}, must be {wanted}</source>
      <translation>{path}：{key} 为 {value}，应为 {wanted}</translation>
    </message>
    <message>
      <source>{path}: {name} has the unknown type {kind}</source>
      <translation>{path}：{name} 的类型 {kind} 未知</translation>
    </message>
    <message>
      <source>{path}: {name} holds numbers that are not finite</source>
      <translation>{path}：{name} 含有非有限的数</translation>
    </message>
    <message>
      <source>{path}: {name} is in another part too</source>
      <translation>{path}：{name} 也在另一部分中</translation>
    </message>
    <message>
      <source>{path}: {name} must hold {count} numbers above zero</source>
      <translation>{path}：{name} 必须有 {count} 个大于零的数</translation>
    </message>
    <message>
      <source>{path}: {reason}: convert the model again</source>
      <translation>{path}：{reason}：请重新转换模型</translation>
    </message>
    <message>
      <source>{place} of {count}</source>
      <translation>{place} / {count}</translation>
    </message>
    <message>
      <source>{place} of {count}, and in the attached {name}</source>
      <translation>{place} / {count}，另见附件 {name}</translation>
    </message>
    <message>
      <source>{problem}. Nothing is lost: what it holds is computed again</source>
      <translation>{problem}。没有丢失任何内容：其中的内容会重新计算</translation>
    </message>
    <message>
      <source>{problem}: check the path</source>
      <translation>{problem}：请检查路径</translation>
    </message>
    <message>
      <source>{problem}: choose another</source>
      <translation>{problem}：请选择另一个</translation>
    </message>
    <message>
      <source>{problem}: choose another folder, or rename it first</source>
      <translation>{problem}：请选择其他文件夹，或先重命名</translation>
    </message>
    <message>
      <source>{problem}: choose another model</source>
      <translation>{problem}：请选择另一个模型</translation>
    </message>
    <message>
      <source>{problem}: download the model again</source>
      <translation>{problem}：请重新下载模型</translation>
    </message>
    <message>
      <source>{problem}: get a Q4_1 or Q8_0 file</source>
      <translation>{problem}：请获取 Q4_1 或 Q8_0 文件</translation>
    </message>
    <message>
      <source>{problem}: get a complete file</source>
      <translation>{problem}：请获取完整的文件</translation>
    </message>
    <message>
      <source>{problem}: get a complete model file</source>
      <translation>{problem}：请获取完整的模型文件</translation>
    </message>
    <message>
      <source>{problem}: get a newer file</source>
      <translation>{problem}：请获取较新的文件</translation>
    </message>
    <message>
      <source>{problem}: get all files of the model</source>
      <translation>{problem}：请获取模型的所有文件</translation>
    </message>
    <message>
      <source>{problem}: get all files of the model into one folder</source>
      <translation>{problem}：请把模型的所有文件放进同一个文件夹</translation>
    </message>
    <message>
      <source>{problem}: get all parts again</source>
      <translation>{problem}：请重新获取所有部分</translation>
    </message>
    <message>
      <source>{problem}: get all parts into one folder</source>
      <translation>{problem}：请把所有部分放进同一个文件夹</translation>
    </message>
    <message>
      <source>{problem}: get both again</source>
      <translation>{problem}：请重新获取两者</translation>
    </message>
    <message>
      <source>{problem}: get config.json again</source>
      <translation>{problem}：请重新获取 config.json</translation>
    </message>
    <message>
      <source>{problem}: get config.json again, and quantize_config.json if the model has one</source>
      <translation>{problem}：请重新获取 config.json，以及 quantize_config.json（如果模型有）</translation>
    </message>
    <message>
      <source>{problem}: get it again</source>
      <translation>{problem}：请重新获取</translation>
    </message>
    <message>
      <source>{problem}: get it from where the model came from</source>
      <translation>{problem}：请从模型的来源处获取</translation>
    </message>
    <message>
      <source>{problem}: get the file again</source>
      <translation>{problem}：请重新获取文件</translation>
    </message>
    <message>
      <source>{problem}: get the little-endian one</source>
      <translation>{problem}：请获取小端格式的文件</translation>
    </message>
    <message>
      <source>{problem}: get the model again</source>
      <translation>{problem}：请重新获取模型</translation>
    </message>
    <message>
      <source>{problem}: get the model as safetensors or GGUF</source>
      <translation>{problem}：请获取 safetensors 或 GGUF 格式的模型</translation>
    </message>
    <message>
      <source>{problem}: get the model in one of these, as it was before it was quantised, or as GGUF</source>
      <translation>{problem}：请获取其中一种格式、量化之前的或 GGUF 格式的模型</translation>
    </message>
    <message>
      <source>{problem}: get the model in that layout</source>
      <translation>{problem}：请获取该布局的模型</translation>
    </message>
    <message>
      <source>{problem}: get them into the same folder</source>
      <translation>{problem}：请把它们放进同一个文件夹</translation>
    </message>
    <message>
      <source>{problem}: get tokenizer.json too</source>
      <translation>{problem}：请同时获取 tokenizer.json</translation>
    </message>
    <message>
      <source>{problem}: get tokenizer.json, or tokenizer.model, or vocab.json with merges.txt</source>
      <translation>{problem}：请获取 tokenizer.json、tokenizer.model，或 vocab.json 和 merges.txt</translation>
    </message>
    <message>
      <source>{problem}: name the model file itself</source>
      <translation>{problem}：请指定模型文件本身</translation>
    </message>
    <message>
      <source>{problem}: rename it, then choose it again</source>
      <translation>{problem}：请先重命名，再重新选择</translation>
    </message>
    <message>
      <source>{problem}: save it as UTF-8, or get the file again</source>
      <translation>{problem}：请将其另存为 UTF-8，或重新获取该文件</translation>
    </message>
    <message>
      <source>{rate} tok/s</source>
      <translation>{rate} 词元/秒</translation>
    </message>
    <message>
      <source>{rate} tok/s here ({answers})</source>
      <translation>在此 {rate} 词元/秒（{answers}）</translation>
    </message>
    <message>
      <source>{rate} tok/s here, first token after {first} s ({answers})</source>
      <translation>在此 {rate} 词元/秒，{first} 秒后出现首个词元（{answers}）</translation>
    </message>
    <message>
      <source>{rate} tok/s together</source>
      <translation>合计 {rate} 词元/秒</translation>
    </message>
    <message>
      <source>{reason}. Next try in {time} s</source>
      <translation>{reason}。{time} 秒后重试</translation>
    </message>
    <message>
      <source>{repo} has neither a whole GGUF nor safetensors with config.json and a tokenizer: choose another repository, GGUF ones often have it in their name</source>
      <translation>{repo} 既没有完整的 GGUF，也没有带 config.json 和分词器的 safetensors：请选择另一个仓库，含 GGUF 的仓库名称中通常有 GGUF 字样</translation>
    </message>
    <message>
      <source>{repo} has no such revision: see {page} for its branches and tags</source>
      <translation>{repo} 没有这个版本：其分支和标签见 {page}</translation>
    </message>
    <message>
      <source>{repo} has no {wanted}: choose one of {labels}</source>
      <translation>{repo} 没有 {wanted}：请选择 {labels} 之一</translation>
    </message>
    <message>
      <source>{repo} has several models: choose one of {names}</source>
      <translation>{repo} 有多个模型：请选择 {names} 之一</translation>
    </message>
    <message>
      <source>{repo} has the architecture {architecture}, which does not run here: choose another model</source>
      <translation>{repo} 的架构为 {architecture}，在这里无法运行：请选择另一个模型</translation>
    </message>
    <message>
      <source>{repo} has {what}, which does not run here: choose another model</source>
      <translation>{repo} 有 {what}，在这里无法运行：请选择另一个模型</translation>
    </message>
    <message>
      <source>{repo} is no repository of the hub: write it as owner/name, as on its page</source>
      <translation>{repo} 不是模型站的仓库：请写成“所有者/名称”，与其页面上一样</translation>
    </message>
    <message>
      <source>{repo} no longer has the file: look at its files again</source>
      <translation>{repo} 不再有此文件：请重新查看其文件</translation>
    </message>
    <message>
      <source>{repo} wants its terms accepted first: do so at {page} with the account of your token</source>
      <translation>{repo} 要求先接受条款：请用你的令牌所属账户在 {page} 接受</translation>
    </message>
    <message>
      <source>{repo} wants its terms accepted first: do so at {page}, keep an access token of the same account (here or in Settings), then start again</source>
      <translation>{repo} 要求先接受条款：请在 {page} 接受，保存同一账户的访问令牌（在这里或设置中），然后重新开始</translation>
    </message>
    <message>
      <source>{repo} wants its terms accepted first: do so at {page}, then keep an access token of your account, here or in Settings</source>
      <translation>{repo} 要求先接受条款：请在 {page} 接受，然后在这里或设置中保存你账户的访问令牌</translation>
    </message>
    <message>
      <source>{setting}: use the default</source>
      <translation>{setting}：使用默认值</translation>
    </message>
    <message>
      <source>{size} are free again</source>
      <translation>已释放 {size}</translation>
    </message>
    <message>
      <source>{size} become free.</source>
      <translation>将腾出 {size}。</translation>
    </message>
    <message>
      <source>{size} free disk</source>
      <translation>磁盘可用 {size}</translation>
    </message>
    <message>
      <source>{size} is kept for chats: enough for {number} of the longest that this model allows, {length} tokens each. “Memory for chats” in the settings makes it more or less.</source>
      <translation>为聊天保留 {size}：够放 {number} 个此模型所允许的最长聊天（每个 {length} 个词元）。可在设置的“聊天用内存”中调整。</translation>
    </message>
    <message>
      <source>{size} memory ({free} free)</source>
      <translation>内存 {size}（可用 {free}）</translation>
    </message>
    <message>
      <source>{size} of this program were moved to the disk, which makes answers slow. Close other programs, load a smaller model, or lower “Memory for chats” in the settings.</source>
      <translation>本程序有 {size} 被移到磁盘，这会使回答变慢。请关闭其他程序，加载更小的模型，或在设置中减小“聊天用内存”。</translation>
    </message>
    <message>
      <source>{size} on disk</source>
      <translation>磁盘 {size}</translation>
    </message>
    <message>
      <source>{size} to download, {free} free on the disk; the file goes once it is converted</source>
      <translation>下载 {size}，磁盘可用 {free}；转换完成后会删除该文件</translation>
    </message>
    <message>
      <source>{target} is another model of the same id: move or delete that one first</source>
      <translation>{target} 是同一编号的另一个模型：请先移动或删除它</translation>
    </message>
    <message>
      <source>{target} is in the way: {reason}</source>
      <translation>{target} 挡住了路：{reason}</translation>
    </message>
    <message>
      <source>{time} left</source>
      <translation>剩 {time}</translation>
    </message>
    <message>
      <source>{time} s ago</source>
      <translation>{time} 秒前</translation>
    </message>
    <message>
      <source>{title} · answering</source>
      <translation>{title} · 正在回答</translation>
    </message>
    <message>
      <source>{title}, folded</source>
      <translation>{title}，已折叠</translation>
    </message>
    <message>
      <source>{title}, open</source>
      <translation>{title}，已展开</translation>
    </message>
    <message>
      <source>{value} at the moment, from the environment variable {variable}.</source>
      <translation>目前为 {value}，来自环境变量 {variable}。</translation>
    </message>
    <message>
      <source>{value} at the moment.</source>
      <translation>目前为 {value}。</translation>
    </message>
    <message>
      <source>{verdict}. These would: {models}</source>
      <translation>{verdict}。这些可以：{models}</translation>
    </message>
    <message>
      <source>{whose} is {address}: it must begin with https://</source>
      <translation>{whose} 为 {address}：必须以 https:// 开头</translation>
    </message>
    <message>
      <source>{why} It cannot be set aside: {error}. Move {path} away.</source>
      <translation>{why}无法将其移到一旁：{error}。请移走 {path}。</translation>
    </message>
    <message>
      <source>{why} It was kept as {name}, and a new history was started.</source>
      <translation>{why}它已保存为 {name}，并开始了新的历史。</translation>
    </message>
    <message>
      <source>{words}, {number} jobs</source>
      <translation>{words}，共 {number} 个任务</translation>
    </message>
    <message>
      <source>{words}; the sum stands below</source>
      <translation>{words}；合计见下</translation>
    </message>
    <message>
      <source>“Continue” goes on without the oldest turns.</source>
      <translation>“继续”会略去最早的轮次接着写。</translation>
    </message>
    <message>
      <source>“Longest answer” in the options of the chat: how long a reply may get where there is room.</source>
      <translation>空间足够时回复最长可达多少，由聊天选项中的“最长回答”决定。</translation>
    </message>
    <message>
      <source>“Longest answer” in the options of this chat</source>
      <translation>此聊天选项中的“最长回答”</translation>
    </message>
    <message>
      <source>“Memory for chats” in the settings keeps {size} of the rest for chats.</source>
      <translation>设置中的“聊天用内存”从剩余内存中为聊天保留 {size}。</translation>
    </message>
    <message>
      <source>“Memory for chats” in the settings makes chats longer.</source>
      <translation>在设置中增大“聊天用内存”可让聊天更长。</translation>
    </message>
    <message>
      <source>“Repetition penalty” is {penalty} in this chat from now on; its options have it.</source>
      <translation>此聊天的“重复惩罚”从现在起为 {penalty}；可在其选项中更改。</translation>
    </message>
    <message>
      <source>“stop” must be a list of texts</source>
      <translation>“stop” 必须是文本列表</translation>
    </message>
    <message>
      <source>“{name}” must be {wanted}</source>
      <translation>“{name}” 必须是{wanted}</translation>
    </message>
  </context>
</TS>
