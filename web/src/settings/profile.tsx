import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { sessionQuery } from "../api/queries";
import { LANGUAGES, type Language, useLanguage, useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { applyTheme, THEMES, useTheme } from "../shell/theme";
import { Field, Form, Part } from "../sites/parts";
import { Button, Loading, notify, Select, TextField } from "../ui";
import { NotificationMail } from "./notification-mail";
import { Picture } from "./picture";
import { refusalOf } from "./refusal";
import { Sessions } from "./sessions";

/** The profile of the person, how the application looks to them, and where they are signed in. */
export default function Profile({ organization }: { organization: string }) {
  const { settings } = useMessages();
  const user = useQuery(sessionQuery).data?.user;
  if (user === undefined) return <Loading />;
  return (
    <>
      <Part title={settings.views.profile} hint={settings.profileHint}>
        <ProfileForm organization={organization} user={user} />
      </Part>
      <Part title={settings.appearance} hint={settings.appearanceHint}>
        <Appearance />
      </Part>
      <NotificationMail />
      <Part title={settings.signIn} hint={settings.signInHint}>
        <a className="button" href="/app/account">
          {settings.openAccount}
        </a>
      </Part>
      <Sessions />
    </>
  );
}

function ProfileForm({ organization, user }: { organization: string; user: Schemas["User"] }) {
  const { settings, shell } = useMessages();
  const [name, setName] = useState(user.displayName);
  const [photo, setPhoto] = useState(user.photoURL ?? "");
  const body = {
    ...(name.trim() !== user.displayName && { displayName: name.trim() }),
    ...(photo.trim() !== (user.photoURL ?? "") && { photoURL: photo.trim() }),
  };
  const isChanged = Object.keys(body).length > 0;
  const save = useChange(() => data(client.PATCH("/users/{userId}", { params: { path: { userId: user.id } }, body })), {
    forget: [sessionQuery.queryKey, ["org", organization, "members"], ["org", organization, "member", user.id]],
    isQuiet: true,
    onDone: () => notify(settings.profileSaved, { tone: "success" }),
  });
  const refusal = refusalOf(save.error);
  return (
    <div className="sites-narrow">
      <Form onSubmit={() => save.mutate()}>
        <Field
          label={settings.displayName}
          value={name}
          onChange={(text) => {
            save.reset();
            setName(text);
          }}
          isRequired
          error={refusal && refusal.field !== "photoURL" ? refusal.reason : undefined}
        />
        <Picture
          label={settings.photo}
          description={settings.photoHint}
          value={photo}
          name={user.displayName}
          onChange={(text) => {
            save.reset();
            setPhoto(text);
          }}
          error={refusal?.field === "photoURL" ? refusal.reason : undefined}
        />
        {user.email !== undefined && <TextField label={settings.mailAddress} description={settings.mailHint} value={user.email} isReadOnly />}
        <div className="row">
          <Button kind="primary" type="submit" isPending={save.isPending} isDisabled={!isChanged}>
            {shell.save}
          </Button>
          <Link href={`/o/${organization}/members/${user.id}`}>{settings.ownAccess}</Link>
        </div>
      </Form>
    </div>
  );
}

function Appearance() {
  const { settings, shell } = useMessages();
  const { language, choose } = useLanguage();
  const theme = useTheme();
  const languages = (Object.keys(LANGUAGES) as Language[]).map((id) => ({ id, label: LANGUAGES[id] }));
  return (
    <div className="stack sites-narrow">
      <Select label={settings.theme} options={THEMES.map((id) => ({ id, label: shell.themes[id] }))} value={theme} onChange={applyTheme} />
      <Select label={settings.language} options={languages} value={language} onChange={choose} />
    </div>
  );
}
