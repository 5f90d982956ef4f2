import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";

import { answered } from "../api/client";
import { ApiError } from "../api/errors";
import { Random } from "./random-edits";
import { schema } from "./schema";
import { type Kind, SimulatedPerson } from "./simulated-person";
import { type Request, transportOf } from "./transport";

/** One of several processes in which people write the same page of a running server. */
interface Task {
  /** The addresses of the nodes. */
  nodes: string[];
  token: string;
  seed: number;
  kind: Kind;
  /** The numbers of the people in this process: the first one, and the one after the last. */
  from: number;
  to: number;
  seconds: number;
  /** Average number of milliseconds between two changes of a person. */
  interval: number;
  /** True if requests fail and networks are cut. */
  isCut: boolean;
  /** True if windows are closed and opened again. */
  areWindowsClosed: boolean;
  place: { organization: string; space: string; changeRequest: string };
  page: string;
  /** A folder in which a file `settle` appears once everybody has stopped. */
  folder: string;
}

/** `cargo xtask soak` names the file with the task of a process. */
const file = process.env["BINDERY_SOAK"];

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function requestOf({ token }: Task, server: string, isCut: () => boolean): Request {
  return async (path, init) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    // A cut comes before the request, or after it and before its answer.
    if (isCut()) throw new ApiError(0, "cut", "cut");
    const found = await answered(fetch(`${server}/v1${path}`, { ...init, headers }), () => {});
    if (isCut()) throw new ApiError(0, "cut", "cut");
    return found;
  };
}

const isEqual = (people: SimulatedPerson[]) => people.every(({ state }) => state.doc.eq((people[0] as SimulatedPerson).state.doc));

async function settled(people: SimulatedPerson[]): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    for (const person of people) person.together.now();
    await pause(200);
    if (people.every(({ together }) => !together.isWaiting) && isEqual(people)) return;
  }
  throw new Error(`the texts differ: ${people.map(({ description }) => description).join("; ")}`);
}

/** Waits until the people of all processes have sent everything. */
async function allSettled({ folder, from }: Task): Promise<void> {
  const count = (prefix: string) => readdirSync(folder).filter((name) => name.startsWith(prefix)).length;
  writeFileSync(`${folder}/settled-${from}`, "");
  while (count("settled-") < count("task-")) await pause(100);
}

/** Waits until a person has the text of the server. */
async function arrived(task: Task, person: SimulatedPerson): Promise<void> {
  const transport = transportOf(task.place, task.page, requestOf(task, task.nodes[0] ?? "", () => false));
  for (let tries = 0; tries < 300; tries += 1) {
    const joined = await transport.join(undefined);
    if (person.state.doc.eq(schema.nodeFromJSON(joined.document))) return;
    await pause(200);
  }
  throw new Error(`${person.name} has another text than the server`);
}

test.runIf(file !== undefined)(
  "many people write one page",
  async () => {
    const task = JSON.parse(readFileSync(file as string, "utf8")) as Task;
    const { from, to, seed, nodes, place, page, interval, folder } = task;
    const cut = new Set<number>();
    const people = Array.from({ length: to - from }, (_, at) => {
      const number = from + at;
      const random = new Random(seed * 1_000 + number);
      const isCut = () => cut.has(number) || (task.isCut && random.below(40) === 0 && random.below(2) === 0);
      const request = requestOf(task, nodes[number % nodes.length] ?? "", isCut);
      return new SimulatedPerson(`p${number}`, random, task.kind, () => transportOf(place, page, request));
    });
    const end = Date.now() + task.seconds * 1_000;
    const random = new Random(seed * 1_000 + 999 - from);
    const write = async (person: SimulatedPerson) => {
      while (Date.now() < end) {
        person.write();
        // Those who type text rest now and then.
        const rest = task.kind === "text" && random.below(60) === 0 ? random.below(8_000) : 0;
        await pause(interval * 0.2 + random.below(interval * 1.6) + rest);
      }
    };
    const disturb = async () => {
      while ((task.isCut || task.areWindowsClosed) && Date.now() < end) {
        await pause(random.below(2_000));
        const at = random.below(people.length);
        if (random.below(4) === 0) {
          if (task.areWindowsClosed) (people[at] as SimulatedPerson).closeAndOpen();
          continue;
        }
        if (!task.isCut) continue;
        cut.add(from + at);
        await pause(random.below(1_500));
        cut.delete(from + at);
      }
    };
    await Promise.all([...people.map(write), disturb()]);
    writeFileSync(`${folder}/stopped-${from}`, "");
    while (!existsSync(`${folder}/settle`)) await pause(100);
    await settled(people);
    const [one] = people as [SimulatedPerson];
    // Requests still fail now and then.
    let isSaved = false;
    for (let tries = 0; !isSaved && tries < 50; tries += 1) {
      isSaved = await one.together.flush();
      await pause(200);
    }
    expect(isSaved).toBe(true);
    await allSettled(task);
    await arrived(task, one);
    await settled(people);
    const words = people.flatMap(({ written }) => written);
    writeFileSync(`${folder}/result-${from}`, JSON.stringify({ document: one.state.doc.toJSON(), words }));
    for (const { together } of people) together.end();
  },
  7_200_000,
);
