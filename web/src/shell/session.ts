import { client, data } from "../api/client";
import { queries } from "../api/queries";
import { notify } from "../ui";

/** Ends the session of this browser and leads to the sign-in page. */
export async function signOut(): Promise<void> {
  try {
    await data(client.POST("/bindery/sign-out"));
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), { tone: "danger" });
    return;
  }
  queries.clear();
  location.assign("/app/sign-in");
}
