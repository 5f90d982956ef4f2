/** The random name of this window of the browser, until its page is loaded again. */
export const THIS_WINDOW = Math.random().toString(36).slice(2);

/** Milliseconds within which other windows answer. */
const PATIENCE = 200;

interface Message {
  question?: string;
  answer?: string;
}

const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("bindery.windows");

channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if (data.question === THIS_WINDOW) channel.postMessage({ answer: THIS_WINDOW });
});

/** Returns those of some windows that are open, except for this one. */
export async function openWindows(names: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = new Set(names.filter((name) => name !== THIS_WINDOW));
  const open = new Set<string>();
  if (!channel || asked.size === 0) return open;
  const listening = new AbortController();
  await new Promise<void>((resolve) => {
    setTimeout(resolve, PATIENCE);
    const heard = ({ data: { answer } }: MessageEvent<Message>) => {
      if (answer !== undefined && asked.has(answer)) open.add(answer);
      if (open.size === asked.size) resolve();
    };
    channel.addEventListener("message", heard, listening);
    for (const question of asked) channel.postMessage({ question });
  });
  listening.abort();
  return open;
}
