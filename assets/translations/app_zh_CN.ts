<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
  <context>
    <name>app</name>
    <message numerus="yes">
      <source>%n block(s)</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n block(s) lie in RAM until there is room again</source>
      <translation type="unfinished">
        <numerusform />
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
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n chat(s) of {length} tokens</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n deleted message(s) of other chats lie here too.</source>
      <translation>
        <numerusform>这里还有其他聊天中已删除的 %n 条消息。</numerusform>
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
      <translation type="unfinished">
        <numerusform />
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
      <source>%n more are in use or pinned, and stay.</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n step(s) of {time} ms</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n swapped out</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n tab(s) of {length}</source>
      <translation>
        <numerusform>%n 个 {length} 的标签页</numerusform>
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
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n token(s)</source>
      <translation>
        <numerusform>%n 个词元</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>%n token(s) of answers</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message numerus="yes">
      <source>%n token(s) of prompts</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>0 always takes the likeliest word.</source>
      <translation>0 表示总是选最可能的词。</translation>
    </message>
    <message>
      <source>1 is off.</source>
      <translation>1 表示关闭。</translation>
    </message>
    <message>
      <source>A file for a report of a fault: log, versions, machine and models, without any chat</source>
      <translation>用于报告故障的文件：日志、版本、机器和模型，不含任何聊天</translation>
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
      <source>A note of the desktop, if an answer or a job ends while another window is in front.</source>
      <translation>当另一个窗口在前面时，如果回答或任务结束，则显示桌面通知。</translation>
    </message>
    <message>
      <source>About and privacy</source>
      <translation>关于与隐私</translation>
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
      <source>Another program has the file open: end that one.</source>
      <translation>另一个程序打开了该文件：请结束那个程序。</translation>
    </message>
    <message>
      <source>Answers at once</source>
      <translation>同时回答数</translation>
    </message>
    <message>
      <source>Appearance</source>
      <translation>外观</translation>
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
      <source>Asking the hub for its facts</source>
      <translation>正在向模型站查询信息</translation>
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
      <translation type="unfinished" />
    </message>
    <message>
      <source>Block grid</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Blocks</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Blocks of answers that run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Blocks of each chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Blocks that only this chat uses now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Blocks that this chat uses now together with others</source>
      <translation type="unfinished" />
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
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cancel</source>
      <translation>取消</translation>
    </message>
    <message>
      <source>Cancelling</source>
      <translation>正在取消</translation>
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
      <source>Chat deleted</source>
      <translation>聊天已删除</translation>
    </message>
    <message>
      <source>Chats</source>
      <translation>聊天</translation>
    </message>
    <message>
      <source>Chats in the engine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chats in the trash</source>
      <translation>回收站中的聊天</translation>
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
      <source>Check the disk, or choose another data folder with --home.</source>
      <translation>请检查磁盘，或用 --home 选择另一个数据文件夹。</translation>
    </message>
    <message>
      <source>Choose a chat to bring it back.</source>
      <translation>选择一个聊天以恢复它。</translation>
    </message>
    <message>
      <source>Chosen by the environment variable {name}.</source>
      <translation>由环境变量 {name} 指定。</translation>
    </message>
    <message>
      <source>Chosen here.</source>
      <translation>在此选定。</translation>
    </message>
    <message>
      <source>Chosen with --home.</source>
      <translation>由 --home 指定。</translation>
    </message>
    <message>
      <source>Close (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Close tab</source>
      <translation>关闭标签页</translation>
    </message>
    <message>
      <source>Close this block</source>
      <translation type="unfinished" />
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
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy as text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy the error</source>
      <translation>复制错误信息</translation>
    </message>
    <message>
      <source>Copy the memory view as text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy this code</source>
      <translation>复制这段代码</translation>
    </message>
    <message>
      <source>Copy “{title}” as text</source>
      <translation type="unfinished" />
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
      <source>Delete</source>
      <translation>删除</translation>
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
      <source>Delete the chat chosen in the list</source>
      <translation>删除列表中选中的聊天</translation>
    </message>
    <message>
      <source>Delete “{title}” for good?</source>
      <translation>永久删除“{title}”？</translation>
    </message>
    <message>
      <source>Detach into a window of its own, or put back</source>
      <translation>分离为独立窗口，或放回原处</translation>
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
      <source>Does not fit: needs {needed}, {free} free</source>
      <translation>放不下：需要 {needed}，可用 {free}</translation>
    </message>
    <message>
      <source>Download {amount}</source>
      <translation>下载 {amount}</translation>
    </message>
    <message>
      <source>Drop</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <source>Dropped %n block(s).</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>Each square is a block of {size} tokens of a chat's memory.</source>
      <translation type="unfinished" />
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
      <source>Empty trash</source>
      <translation>清空回收站</translation>
    </message>
    <message>
      <source>Engine</source>
      <translation>引擎</translation>
    </message>
    <message>
      <source>Error: {code}</source>
      <translation>错误：{code}</translation>
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
      <source>Find a command</source>
      <translation>查找命令</translation>
    </message>
    <message>
      <source>Find a setting</source>
      <translation>查找设置</translation>
    </message>
    <message>
      <source>Fits with a shorter context: one tab of {length}</source>
      <translation>缩短上下文后可以放下：一个 {length} 的标签页</translation>
    </message>
    <message numerus="yes">
      <source>Fits, with %n tab(s) of {length}</source>
      <translation>
        <numerusform>放得下，可开 %n 个 {length} 的标签页</numerusform>
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
      <source>For keys and values of all chats. Automatic takes what is left beside the model.</source>
      <translation>用于所有聊天的键和值。自动则使用模型之外剩余的内存。</translation>
    </message>
    <message>
      <source>Forget this text and all that follows it (Del)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Free some space on this disk.</source>
      <translation>请在此磁盘上腾出一些空间。</translation>
    </message>
    <message>
      <source>From the chat's own text</source>
      <translation>根据聊天自身的文本</translation>
    </message>
    <message>
      <source>Further ones wait for their turn.</source>
      <translation>更多的回答依次等待。</translation>
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
      <source>Get {model}</source>
      <translation>获取 {model}</translation>
    </message>
    <message>
      <source>Guess ahead</source>
      <translation>提前猜测</translation>
    </message>
    <message>
      <source>Guesses are checked by the model: answers stay the same and come sooner.</source>
      <translation>猜测由模型核对：回答不变，但更快。</translation>
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
      <source>Holds from the next start on.</source>
      <translation>下次启动时生效。</translation>
    </message>
    <message>
      <source>How many chats fit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>I have accepted them</source>
      <translation>我已接受</translation>
    </message>
    <message numerus="yes">
      <source>In %n chat(s)</source>
      <translation>
        <numerusform>在 %n 个聊天中</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>In more than %n chat(s)</source>
      <translation>
        <numerusform>在超过 %n 个聊天中</numerusform>
      </translation>
    </message>
    <message>
      <source>In the title</source>
      <translation>在标题中</translation>
    </message>
    <message>
      <source>In tokens. Automatic is up to 1,024, and less where the chat has nearly filled the model's context.</source>
      <translation>以词元计。自动最多为 1,024；当聊天快要占满模型的上下文时会更少。</translation>
    </message>
    <message>
      <source>It cannot run here: {reason}</source>
      <translation>无法在此运行：{reason}</translation>
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
      <source>Its makers want their terms accepted first: do so at {page}. The hub then knows you by an access token of your account; it is kept in this system's keyring.</source>
      <translation>其作者要求先接受条款：请在 {page} 接受。之后模型站通过你账户的访问令牌识别你；令牌保存在本系统的密钥环中。</translation>
    </message>
    <message>
      <source>Jobs</source>
      <translation>任务</translation>
    </message>
    <message>
      <source>KV cached</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV free</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV pinned</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV used</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keep the computer awake while it works</source>
      <translation>工作时保持电脑不休眠</translation>
    </message>
    <message>
      <source>Keep this text in memory, from its beginning</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keep token</source>
      <translation>保存令牌</translation>
    </message>
    <message>
      <source>Kept for later until it is unpinned</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Kept from earlier, and reused if a chat begins the same</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keys</source>
      <translation>按键</translation>
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
      <source>Last {time} s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Let go of every pin that keeps this text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Light</source>
      <translation>浅色</translation>
    </message>
    <message>
      <source>Longest answer</source>
      <translation>最长回答</translation>
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
      <source>Memory for chats that wait (MiB)</source>
      <translation>等待中的聊天用内存（MiB）</translation>
    </message>
    <message>
      <source>Memory of this computer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Model hub</source>
      <translation>模型站</translation>
    </message>
    <message>
      <source>Models</source>
      <translation>模型</translation>
    </message>
    <message>
      <source>Models to get</source>
      <translation>可获取的模型</translation>
    </message>
    <message>
      <source>More</source>
      <translation>更多</translation>
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
      <source>Move {amount}</source>
      <translation>移动 {amount}</translation>
    </message>
    <message>
      <source>Never</source>
      <translation>从不</translation>
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
      <source>New folder</source>
      <translation>新文件夹</translation>
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
      <source>No chat is in it.</source>
      <translation>其中没有聊天。</translation>
    </message>
    <message>
      <source>No folder</source>
      <translation>无文件夹</translation>
    </message>
    <message>
      <source>No model is loaded. Load one to see where its memory goes.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No model yet: choose Get a model above, or drop a file of your own on the window.</source>
      <translation>还没有模型：选择上方的“获取模型”，或把你自己的文件拖到窗口上。</translation>
    </message>
    <message>
      <source>No room for {chats} together: {needed} needed, {pool} there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No setting has these words.</source>
      <translation>没有设置包含这些词。</translation>
    </message>
    <message>
      <source>Not even one of this length fits.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing found for {words}: try fewer words</source>
      <translation>没有找到“{words}”：请减少关键词</translation>
    </message>
    <message>
      <source>Nothing was computed in the last {time} s.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Number of chats</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <source>Of this length, %n fit(s) at once.</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>Older</source>
      <translation>更早</translation>
    </message>
    <message>
      <source>On this computer</source>
      <translation>在此电脑上</translation>
    </message>
    <message>
      <source>One cell for each memory block. The arrow keys go from block to block, Enter opens one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only {left} of memory are left; soon parts of programs are moved to the disk and answers get slow. Close other programs, or load a smaller model.</source>
      <translation type="unfinished" />
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
      <source>Pausing</source>
      <translation>正在暂停</translation>
    </message>
    <message>
      <source>Pin</source>
      <translation>置顶</translation>
    </message>
    <message>
      <source>Pinned</source>
      <translation>已置顶</translation>
    </message>
    <message numerus="yes">
      <source>Pinned: %n block(s), {size}.</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>Point at a block, or go through them with the arrow keys.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Precision of chats in memory</source>
      <translation>聊天在内存中的精度</translation>
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
      <source>Quit</source>
      <translation>退出</translation>
    </message>
    <message>
      <source>RAM: this program {own}, other programs {others}, left {left} of {total}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Ready</source>
      <translation>就绪</translation>
    </message>
    <message>
      <source>Rename</source>
      <translation>重命名</translation>
    </message>
    <message>
      <source>Rename the chat chosen in the list</source>
      <translation>重命名列表中选中的聊天</translation>
    </message>
    <message>
      <source>Reopen the tab closed last</source>
      <translation>重新打开最近关闭的标签页</translation>
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
      <source>Save diagnostics</source>
      <translation>保存诊断信息</translation>
    </message>
    <message>
      <source>Save diagnostics…</source>
      <translation>保存诊断信息…</translation>
    </message>
    <message>
      <source>Search</source>
      <translation>搜索</translation>
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
      <source>Search the hub for a model, such as qwen 3b</source>
      <translation>在模型站中搜索模型，例如 qwen 3b</translation>
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
      <source>Send the message</source>
      <translation>发送消息</translation>
    </message>
    <message>
      <source>Settings</source>
      <translation>设置</translation>
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
      <source>Smaller text</source>
      <translation>缩小文字</translation>
    </message>
    <message>
      <source>Smallest</source>
      <translation>最小</translation>
    </message>
    <message>
      <source>Stands before the first message of new chats.</source>
      <translation>位于新聊天的第一条消息之前。</translation>
    </message>
    <message>
      <source>Start DeepInfer again: it sets a damaged file aside.</source>
      <translation>请重新启动 DeepInfer：它会把损坏的文件放到一边。</translation>
    </message>
    <message>
      <source>Start DeepInfer again; if it goes on, choose another data folder with --home.</source>
      <translation>请重新启动 DeepInfer；如果问题依旧，请用 --home 选择另一个数据文件夹。</translation>
    </message>
    <message>
      <source>Starting</source>
      <translation>正在开始</translation>
    </message>
    <message>
      <source>Step timeline</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Steps</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop the answer; leave a page</source>
      <translation>停止回答；离开页面</translation>
    </message>
    <message numerus="yes">
      <source>Swapped out, in RAM: {chats} of %n block(s)</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>System prompt</source>
      <translation>系统提示词</translation>
    </message>
    <message>
      <source>Table</source>
      <translation>表格</translation>
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
      <source>That compute. Automatic is one for each core.</source>
      <translation>用于计算。自动为每个核心一个。</translation>
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
      <source>The diagnostics cannot be saved: {cause}. {advice}</source>
      <translation>无法保存诊断信息：{cause}。{advice}</translation>
    </message>
    <message>
      <source>The diagnostics were saved as {path}. No chat is in them.</source>
      <translation>诊断信息已保存为 {path}。其中没有聊天内容。</translation>
    </message>
    <message>
      <source>The disk can only be read: choose another data folder with --home.</source>
      <translation>磁盘是只读的：请用 --home 选择另一个数据文件夹。</translation>
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
      <translation type="unfinished" />
    </message>
    <message>
      <source>The settings cannot be saved: {cause}. {advice}</source>
      <translation>无法保存设置：{cause}。{advice}</translation>
    </message>
    <message>
      <source>The usual place on this system.</source>
      <translation>本系统的默认位置。</translation>
    </message>
    <message>
      <source>Theme</source>
      <translation>主题</translation>
    </message>
    <message>
      <source>There is room for {chats}: {needed} of the {pool} for chats.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>They take turns then; for more room raise “Memory for chats” in the settings, or load a smaller model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This cannot be undone.</source>
      <translation>此操作无法撤销。</translation>
    </message>
    <message>
      <source>This is the default.</source>
      <translation>这是默认值。</translation>
    </message>
    <message>
      <source>Threads</source>
      <translation>线程</translation>
    </message>
    <message>
      <source>Today</source>
      <translation>今天</translation>
    </message>
    <message>
      <source>Tokens in each chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tokens of prompt and answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tokens of the prompt that were in memory already, so that they were not computed again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tokens per second of this answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Top-p</source>
      <translation>Top-p</translation>
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
      <source>Undo</source>
      <translation>撤销</translation>
    </message>
    <message>
      <source>Unpin</source>
      <translation>取消置顶</translation>
    </message>
    <message>
      <source>Unpinned “{name}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Use the default</source>
      <translation>使用默认值</translation>
    </message>
    <message>
      <source>Verify</source>
      <translation>校验</translation>
    </message>
    <message>
      <source>Version</source>
      <translation>版本</translation>
    </message>
    <message>
      <source>What a step needs besides, at most</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What do you want to do?</source>
      <translation>你想做什么？</translation>
    </message>
    <message>
      <source>What it does</source>
      <translation>作用</translation>
    </message>
    <message>
      <source>What the engine does with it now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Where a chat's blocks are kept while others need its place; 0 computes them again.</source>
      <translation>当其他聊天需要位置时，一个聊天的块保存在这里；0 表示重新计算。</translation>
    </message>
    <message>
      <source>Where memory goes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>While an answer is written or a model is fetched. The screen may still go dark.</source>
      <translation>在写回答或获取模型时。屏幕仍可能变暗。</translation>
    </message>
    <message>
      <source>Yesterday</source>
      <translation>昨天</translation>
    </message>
    <message>
      <source>Zoom</source>
      <translation>缩放</translation>
    </message>
    <message>
      <source>a third of the size, answers hardly change</source>
      <translation>三分之一大小，回答几乎不变</translation>
    </message>
    <message>
      <source>about {disk} on disk · {memory} of memory · about {speed} tok/s on an ordinary laptop</source>
      <translation>磁盘约 {disk} · 内存 {memory} · 在普通笔记本上约 {speed} 词元/秒</translation>
    </message>
    <message>
      <source>about {size} to download · licence {licence} · {repository}</source>
      <translation>下载约 {size} · 许可证 {licence} · {repository}</translation>
    </message>
    <message>
      <source>about {time} left</source>
      <translation>约剩 {time}</translation>
    </message>
    <message>
      <source>answer tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>as small as it can be, answers lose some</source>
      <translation>尽可能小，回答质量略有下降</translation>
    </message>
    <message>
      <source>as the original, twice the size of balanced</source>
      <translation>与原版相同，大小是“均衡”的两倍</translation>
    </message>
    <message>
      <source>at once</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>at rest</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>automatic</source>
      <translation>自动</translation>
    </message>
    <message>
      <source>block {number}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cached</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cached, all chats</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>chats</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>collapsed</source>
      <translation>已折叠</translation>
    </message>
    <message>
      <source>engine: {state}</source>
      <translation>引擎：{state}</translation>
    </message>
    <message>
      <source>free</source>
      <translation>空闲</translation>
    </message>
    <message>
      <source>hits</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>last {titles}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>length</source>
      <translation type="unfinished" />
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
      <source>loading, layer {layer} of {total}</source>
      <translation>加载中，第 {layer} 层，共 {total} 层</translation>
    </message>
    <message>
      <source>longest {time} ms</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>made from {model}</source>
      <translation>由 {model} 制成</translation>
    </message>
    <message>
      <source>ms per step</source>
      <translation type="unfinished" />
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
      <source>nothing computed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>of {date}</source>
      <translation>{date}</translation>
    </message>
    <message>
      <source>open</source>
      <translation>已展开</translation>
    </message>
    <message>
      <source>own</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>pinned</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>pinned · {notes}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <source>pinned, %n block(s)</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>preempted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>prompt tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>reading</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>ready</source>
      <translation>就绪</translation>
    </message>
    <message>
      <source>refs {count}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>refs {count} or more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>saved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>seconds ago</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>shared</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>shared by chats</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>starting</source>
      <translation>正在启动</translation>
    </message>
    <message>
      <source>state</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>steps</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>stopped</source>
      <translation>已停止</translation>
    </message>
    <message>
      <source>swapped out</source>
      <translation type="unfinished" />
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
      <translation type="unfinished" />
    </message>
    <message>
      <source>this text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>tok/s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>tokens {first}–{last}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <source>up to %n waiting</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>used by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>waiting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>weights</source>
      <translation>权重</translation>
    </message>
    <message>
      <source>without a chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>workspace</source>
      <translation>工作区</translation>
    </message>
    <message>
      <source>writing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>written just now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>written {time} ago</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{count} more</source>
      <translation type="unfinished" />
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
      <source>{messages}, deleted {day}</source>
      <translation>{messages}，删除于{day}</translation>
    </message>
    <message>
      <source>{rate} tok/s together</source>
      <translation>合计 {rate} 词元/秒</translation>
    </message>
    <message>
      <source>{setting}: use the default</source>
      <translation>{setting}：使用默认值</translation>
    </message>
    <message>
      <source>{size} of this program were moved to the disk, which makes answers slow. Close other programs, load a smaller model, or lower “Memory for chats” in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{size} to download, {free} free on the disk; the file goes once it is converted</source>
      <translation>下载 {size}，磁盘可用 {free}；转换完成后会删除该文件</translation>
    </message>
    <message>
      <source>{time} left</source>
      <translation>剩 {time}</translation>
    </message>
    <message>
      <source>{time} s ago</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{title} · answering</source>
      <translation>{title} · 正在回答</translation>
    </message>
    <message>
      <source>{title}, folded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{title}, open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{words}; the sum stands below</source>
      <translation type="unfinished" />
    </message>
  </context>
</TS>
