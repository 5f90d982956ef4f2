import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{A as t,C as n,E as r,J as i,R as a,Ut as o,W as s,cr as c,lr as l,mn as u,qt as d,t as f,wt as p}from"./ui-ByZygFje.js";import{n as m,t as h}from"./emoji-text-DxJaxvr2.js";function g(e){return new Promise((t,n)=>{let r=new FileReader;r.onload=()=>t(String(r.result).replace(/^data:[^,]*,/,``)),r.onerror=()=>n(r.error??Error(`unreadable`)),r.readAsDataURL(e)})}var _=e(l(),1),v=`😀 grinning face smile happy; 😃 smiley happy; 😄 smile eyes; 😁 beaming grin; 😂 joy laughing tears; 🙂 slight smile
😉 wink; 😊 blush smile; 😍 heart eyes love; 😎 cool sunglasses; 🤔 thinking; 🤓 nerd glasses; 🥳 party celebrate
😅 sweat smile; 😢 cry sad; 😭 sob cry; 😡 angry; 😱 scream fear; 😴 sleeping; 🤯 mind blown; 🤖 robot bot; 👻 ghost; 👽 alien
💀 skull; 👋 wave hello; 👍 thumbs up yes; 👎 thumbs down no; 👏 clap applause; 🙌 raised hands; 🙏 thanks folded hands
🤝 handshake agreement; ✌️ victory peace; 👌 ok hand; 👉 point right; 👈 point left; 👆 point up; 👇 point down; ✋ hand stop
✊ fist; 💪 muscle strong; ✍️ writing hand; 👀 eyes look; 🧠 brain; 👤 person user; 👥 people users team
👩‍💻 woman developer technologist; 👨‍💻 man developer technologist; 👷 construction worker; 🕵️ detective; 🧑‍🏫 teacher
🧑‍🔬 scientist; 🧑‍🎨 artist; 🧑‍🚀 astronaut; 🏃 running; 🚶 walking; ❤️ red heart love; 🧡 orange heart; 💛 yellow heart
💚 green heart; 💙 blue heart; 💜 purple heart; 🖤 black heart; 💔 broken heart; 💥 collision boom; 💫 dizzy star
💬 speech comment chat; 💭 thought; 💤 sleep zzz; 🐶 dog; 🐱 cat; 🐭 mouse animal; 🐰 rabbit; 🦊 fox; 🐻 bear; 🐼 panda; 🦁 lion
🐮 cow; 🐷 pig; 🐸 frog; 🐵 monkey; 🐔 chicken; 🐧 penguin; 🐦 bird; 🦆 duck; 🦉 owl; 🐝 bee; 🐛 bug insect; 🦋 butterfly; 🐌 snail
🐞 ladybird; 🐢 turtle; 🐍 snake python; 🐙 octopus; 🦀 crab rust; 🐬 dolphin; 🐳 whale docker; 🦈 shark; 🐘 elephant
🦄 unicorn; 🐉 dragon; 🌵 cactus; 🎄 christmas tree; 🌲 evergreen tree; 🌳 tree; 🌴 palm tree; 🌱 seedling sprout start
🌿 herb leaf; 🍀 four leaf clover luck; 🍁 maple leaf; 🍂 fallen leaf autumn; 🌸 cherry blossom flower; 🌹 rose; 🌻 sunflower
🌼 blossom; 🌍 earth globe world; 🌐 globe web internet; 🌙 moon night; ☀️ sun; ⭐ star; 🌟 glowing star; ✨ sparkles new
⚡ lightning fast power; 🔥 fire hot; 🌈 rainbow; ☁️ cloud; 🌧️ rain; ❄️ snow cold; 💧 drop water; 🌊 wave water sea
🍎 apple; 🍌 banana; 🍇 grapes; 🍉 watermelon; 🍊 orange tangerine; 🍋 lemon; 🍓 strawberry; 🍒 cherries; 🥑 avocado; 🥕 carrot
🌽 corn; 🍄 mushroom; 🍞 bread; 🧀 cheese; 🍔 burger; 🍕 pizza; 🌮 taco; 🍣 sushi; 🍪 cookie; 🎂 cake birthday; 🍩 doughnut
🍫 chocolate; ☕ coffee; 🍵 tea; 🍺 beer; 🍷 wine; 🍽️ plate food; ⚽ football soccer; 🏀 basketball; 🎾 tennis
🏆 trophy winner; 🥇 gold medal first; 🎯 target goal dart; 🎮 game controller; 🎲 dice; 🧩 puzzle piece integration
🎨 palette art design; 🎬 film clapper; 🎤 microphone; 🎧 headphones; 🎵 music note; 🎸 guitar; 🎹 piano keyboard
🎭 theatre masks; 🎁 gift present; 🎉 party popper celebration; 🎈 balloon; 🚗 car; 🚕 taxi; 🚌 bus; 🚑 ambulance
🚒 fire engine; 🚚 truck delivery; 🚲 bicycle; ✈️ airplane travel; 🚀 rocket launch start; 🛸 flying saucer; 🚁 helicopter
⛵ sailing boat; 🚢 ship; 🚂 train locomotive; 🚦 traffic light; 🚧 construction work in progress; ⚓ anchor; 🗺️ map
🧭 compass; 🏔️ mountain; 🏕️ camping; 🏖️ beach; 🏝️ island; 🏠 house home; 🏢 office building; 🏭 factory; 🏥 hospital
🏦 bank; 🏫 school; 🏗️ building construction; 🏛️ classical building; 🏰 castle; ⛺ tent; 🌉 bridge; ⌚ watch; 📱 phone mobile
💻 laptop computer; 🖥️ desktop computer; ⌨️ keyboard; 🖱️ mouse computer; 🖨️ printer; 💾 floppy disk save; 💿 disc
📷 camera; 🎥 movie camera; 📺 television; 📻 radio; ⏰ alarm clock; ⏱️ stopwatch; ⏳ hourglass; 🔋 battery; 🔌 plug
💡 light bulb idea; 🔦 torch; 🕯️ candle; 🧯 fire extinguisher; 💸 money wings; 💰 money bag; 💳 credit card payment
💎 gem diamond; ⚖️ scales balance law; 🧰 toolbox; 🔧 wrench; 🔨 hammer; ⚒️ hammer pick; 🛠️ tools; ⛏️ pick; 🔩 nut bolt
⚙️ gear settings; 🧱 brick; ⛓️ chains; 🧲 magnet; 🧪 test tube; 🧫 petri dish; 🧬 dna; 🔬 microscope; 🔭 telescope
📡 satellite antenna; 💉 syringe; 💊 pill; 🩺 stethoscope; 🚪 door; 🪑 chair; 🛏️ bed; 🛒 shopping cart; 🧹 broom; 🧺 basket
🧻 roll paper; 🔑 key; 🗝️ old key; 🔒 lock private; 🔓 unlock open; 🛡️ shield security; 📦 package box; 📫 mailbox
✉️ envelope mail; 📧 email; 📥 inbox; 📤 outbox; 📜 scroll; 📄 page document; 📃 page curl; 📑 bookmark tabs; 📊 bar chart
📈 chart increasing; 📉 chart decreasing; 🗒️ notepad; 📅 calendar; 📆 tear off calendar; 🗂️ dividers index; 📁 folder
📂 open folder; 🗄️ file cabinet; 🗑️ bin trash; 📰 newspaper news; 📓 notebook; 📔 decorated notebook; 📒 ledger; 📕 red book
📗 green book; 📘 blue book; 📙 orange book; 📚 books library; 📖 open book; 🔖 bookmark; 🏷️ label tag; 🔗 link; 📎 paperclip
📐 triangle ruler; 📏 ruler; 📌 pin; 📍 round pin location; ✂️ scissors; 🖊️ pen; 🖋️ fountain pen; ✒️ nib
📝 memo note write; ✏️ pencil edit; 🔍 search magnifier; 🔎 search magnifier right; 💼 briefcase work; 🎒 backpack
🎓 graduation cap learn; 👑 crown; 🎩 top hat; 👓 glasses; 👕 shirt; 🔔 bell notification; 🔕 bell off; 📢 loudspeaker
📣 megaphone announcement; 🃏 joker; ♻️ recycle; ⚠️ warning; ⛔ no entry; 🚫 prohibited; ❌ cross no; ✅ check done yes
☑️ checked box; ✔️ check mark; ➕ plus; ➖ minus; ❓ question; ❗ exclamation; ‼️ double exclamation; 💯 hundred; 🔁 repeat
🔄 refresh arrows; 🔀 shuffle; ⏩ fast forward; ▶️ play; ⏸️ pause; ⏹️ stop; ⏏️ eject; 🔼 up button; 🔽 down button
➡️ arrow right; ⬅️ arrow left; ⬆️ arrow up; ⬇️ arrow down; ↩️ arrow return; 🆕 new button; 🆓 free button; 🆗 ok button
🆘 sos help; ℹ️ information; 🅿️ parking; 0️⃣ zero number; 1️⃣ one number; 2️⃣ two number; 3️⃣ three number
4️⃣ four number; 5️⃣ five number; 6️⃣ six number; 7️⃣ seven number; 8️⃣ eight number; 9️⃣ nine number; 🔟 ten number
🔴 red circle; 🟠 orange circle; 🟡 yellow circle; 🟢 green circle; 🔵 blue circle; 🟣 purple circle; ⚫ black circle
⚪ white circle; 🟥 red square; 🟧 orange square; 🟨 yellow square; 🟩 green square; 🟦 blue square; 🟪 purple square
🏁 chequered flag finish; 🚩 red flag; 🏳️ white flag; 🏴 black flag; 🏳️‍🌈 rainbow flag`.split(/;\s|\n/).map(e=>{let t=e.indexOf(` `);return[e.slice(0,t),e.slice(t+1)]});function y(e){return[...new Intl.Segmenter(`en`,{granularity:`grapheme`}).segment(e)].length===1&&/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(e)}function b(e){let t=e.trim().toLowerCase();if(t===``)return v;if(y(t))return[[t,t]];let n=t.split(/\s+/);return v.filter(([,e])=>n.every(t=>` ${e}`.includes(` ${t}`)))}var x=c();function S({texts:e,present:n,placeholder:r,isDisabled:i,useFound:s,onChange:c}){let[l,u]=(0,_.useState)(!1);return(0,x.jsxs)(`div`,{className:`field`,children:[(0,x.jsx)(d,{children:e.label}),(0,x.jsxs)(`div`,{className:`row`,children:[(0,x.jsxs)(t,{isOpen:l,onOpenChange:u,children:[(0,x.jsx)(o,{className:`button space-sign-button`,"aria-label":`${e.choose}${n?`: ${n.name}`:``}`,isDisabled:i,children:n?.content??r}),(0,x.jsx)(a,{className:`popover space-sign-window`,placement:`bottom start`,"aria-label":e.choose,children:(0,x.jsx)(C,{texts:e,useFound:s,onChoose:e=>{c(e),u(!1)}})})]}),n&&!i&&(0,x.jsx)(f,{kind:`quiet`,isSmall:!0,onPress:()=>c(``),children:e.remove})]})]})}function C({texts:e,useFound:t,onChoose:n}){let[a,o]=(0,_.useState)(``),c=t(a);return(0,x.jsxs)(u,{inputValue:a,onInputChange:o,children:[(0,x.jsx)(r,{"aria-label":e.search,autoFocus:!0,children:(0,x.jsx)(p,{className:`input`,placeholder:e.search})}),(0,x.jsx)(`div`,{className:`space-sign-scroll`,tabIndex:0,children:(0,x.jsx)(s,{className:`space-sign-list`,layout:`grid`,"aria-label":e.choose,items:c,onAction:e=>n(String(e)),renderEmptyState:()=>(0,x.jsx)(`p`,{className:`muted`,children:e.none}),children:({name:e,content:t})=>(0,x.jsx)(i,{textValue:e,"aria-label":e,className:`space-sign`,children:t})})})]})}function w(e){return(0,_.useMemo)(()=>b(e).map(([e,t])=>({id:h(e),name:t,content:e})),[e])}function T({emoji:e,isDisabled:t,onChange:r}){let{space:i}=n(),a=m(e),o={label:i.emoji,choose:i.chooseEmoji,search:i.emojiSearch,none:i.emojiNone,remove:i.removeEmoji};return(0,x.jsx)(S,{texts:o,present:a?{id:e??``,name:a,content:a}:void 0,placeholder:`☺`,isDisabled:t,useFound:w,onChange:r})}export{g as i,S as n,b as r,T as t};