// What a person other than the owner does, in a browser of their own.

/** Accepts an invitation under a name. */
export async function accept(page, address, name) {
    await page.goto(address);
    await page.getByRole('textbox', { name: 'Your name' }).fill(name);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('heading', { name: 'My organization' }).waitFor();
}

/** Sends a request to the API as the person who is signed in, and returns the answer. */
export async function postAs(page, server, path, data) {
    const session = await page.request.get(`${server}/v1/bindery/session`);
    const { csrfToken } = await session.json();
    const answer = await page.request.post(`${server}/v1${path}`, { data, headers: { 'X-CSRF-Token': csrfToken } });
    if (!answer.ok()) {
        throw new Error(`POST ${path}: ${answer.status()} ${await answer.text()}`);
    }
    return answer.json();
}
