import { useState } from "react";

import { client, data, type Schemas } from "../api/client";
import { spaceQuery, spacesQuery } from "../api/queries";
import { useLanguage, useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Field, Form } from "../sites/parts";
import { EmojiPicker } from "../space/emoji-picker";
import { Button, notify } from "../ui";
import { FormError } from "./parts";
import { fieldErrors } from "./refusal";

/** Returns the name of a language in another one, or nothing if the tag is invalid or unknown. */
function languageName(tag: string, inLanguage: string): string | undefined {
  try {
    return tag === "" ? undefined : new Intl.DisplayNames([inLanguage], { type: "language", fallback: "none" }).of(tag);
  } catch {
    return undefined;
  }
}

/** The form with the title, the emoji, the icon and the language of a space. */
export function Identity({ organization, space }: { organization: string; space: Schemas["Space"] }) {
  const { spaceSettings, shell } = useMessages();
  const { language: shown } = useLanguage();
  const [title, setTitle] = useState<string>(space.title);
  const [emoji, setEmoji] = useState<string>(space.emoji);
  const [icon, setIcon] = useState<string>(space.urls.icon ?? "");
  const [language, setLanguage] = useState(space.languageTag ?? "");
  const isAdmin = space.permissions.admin;
  const hasImage = emoji !== space.emoji || icon.trim() !== (space.urls.icon ?? "");
  const isChanged = title.trim() !== space.title || language.trim() !== (space.languageTag ?? "") || hasImage;
  const save = useChange(
    () => {
      const fields = { title: title.trim(), languageTag: language.trim() === "" ? null : language.trim() };
      const image = icon.trim() !== "" ? { icon: icon.trim() } : emoji !== "" ? { emoji } : { emoji: null, icon: null };
      const body = { ...fields, ...(hasImage ? image : {}) } as typeof fields & { emoji: string };
      return data(client.PATCH("/spaces/{spaceId}", { params: { path: { spaceId: space.id } }, body }));
    },
    {
      forget: [spaceQuery(space.id).queryKey, spacesQuery(organization).queryKey, ["collection"]],
      isQuiet: true,
      onDone: (saved) => {
        // The server writes tags of languages in their canonical form.
        setLanguage(saved.languageTag ?? "");
        setTitle(saved.title);
        setEmoji(saved.emoji);
        setIcon(saved.urls.icon ?? "");
        notify(spaceSettings.saved, { tone: "success" });
      },
    },
  );
  const errors = fieldErrors(save.error, ["/title", "/languageTag", "/icon"]);
  const name = languageName(language.trim(), shown);
  return (
    <Form onSubmit={() => save.mutate()}>
      <FormError>{errors.above}</FormError>
      <Field label={spaceSettings.spaceTitle} value={title} onChange={setTitle} isRequired isDisabled={!isAdmin} error={errors.at("/title")} />
      <EmojiPicker emoji={emoji} isDisabled={!isAdmin} onChange={setEmoji} />
      <Field
        label={spaceSettings.icon}
        description={spaceSettings.iconHint}
        type="url"
        value={icon}
        onChange={setIcon}
        isDisabled={!isAdmin}
        error={errors.at("/icon")}
      />
      <Field
        label={spaceSettings.language}
        description={name === undefined ? spaceSettings.languageHint : `${spaceSettings.languageIs(name)} ${spaceSettings.languageHint}`}
        value={language}
        onChange={setLanguage}
        isDisabled={!isAdmin}
        error={errors.at("/languageTag")}
      />
      {isAdmin && (
        <div className="row">
          <Button type="submit" isPending={save.isPending} isDisabled={!isChanged}>
            {shell.save}
          </Button>
        </div>
      )}
    </Form>
  );
}
