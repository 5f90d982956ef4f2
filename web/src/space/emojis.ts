/** Emoji with the English words by which they are found, separated by semicolons. */
const NAMES = `
😀 grinning face smile happy; 😃 smiley happy; 😄 smile eyes; 😁 beaming grin; 😂 joy laughing tears; 🙂 slight smile
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
🏁 chequered flag finish; 🚩 red flag; 🏳️ white flag; 🏴 black flag; 🏳️‍🌈 rainbow flag`;

const EMOJIS: readonly (readonly [string, string])[] = NAMES.trim()
  .split(/;\s|\n/)
  .map((entry) => {
    const end = entry.indexOf(" ");
    return [entry.slice(0, end), entry.slice(end + 1)] as const;
  });

/** Returns true if a text is one emoji. */
function isEmoji(text: string): boolean {
  const parts = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)];
  return parts.length === 1 && /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(text);
}

/** Returns the emoji whose names contain all words, with their names; a pasted emoji is found as well. */
export function searchEmoji(asked: string): readonly (readonly [string, string])[] {
  const text = asked.trim().toLowerCase();
  if (text === "") return EMOJIS;
  if (isEmoji(text)) return [[text, text]];
  const words = text.split(/\s+/);
  return EMOJIS.filter(([, name]) => words.every((word) => ` ${name}`.includes(` ${word}`)));
}
