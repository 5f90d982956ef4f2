import { useEffect, useId, useRef, useState } from "react";
import { FileTrigger } from "react-aria-components";

import { useMessages } from "../i18n";
import { Button, Icon, TextField } from "../ui";
import { Choice } from "../ui/choice";
import { MAX_SIZE, slugOfAddress, slugOfFile, slugOfText, type Source } from "./spec";

/** The ways to give a source. */
export type Way = "url" | "file" | "text";
const WAYS: readonly Way[] = ["url", "file", "text"];

/** A source as it is being given. */
export interface Given {
  way: Way;
  url: string;
  file: { name: string; text: string } | undefined;
  text: string;
}

/** Returns the source of a request; undefined if it is not given yet. */
export function sourceOf({ way, url, file, text }: Given): Source | undefined {
  if (way === "url") return url.trim() === "" ? undefined : { url: url.trim() };
  const given = way === "file" ? file?.text : text;
  return given === undefined || given.trim() === "" ? undefined : { text: given };
}

/** Returns a slug for a source. */
export function slugOfSource({ way, url, file, text }: Given): string {
  if (way === "url") return slugOfAddress(url);
  if (way === "text") return slugOfText(text);
  return file === undefined ? "" : slugOfFile(file.name, file.text);
}

interface Props {
  given: Given;
  onChange: (given: Given) => void;
  /** The reason why the source is refused. */
  error: string | undefined;
}

/** The fields for a source: an address, a file, or a text. */
export function SourceFields({ given, onChange, error }: Props) {
  const { openapi } = useMessages();
  const label = useId();
  const isFirst = useRef(true);
  useEffect(() => {
    isFirst.current = false;
  }, []);
  const { way } = given;
  return (
    <>
      <div className="field openapi-ways">
        <span className="openapi-label" id={label}>
          {openapi.source}
        </span>
        <Choice label={openapi.source} options={WAYS.map((id) => ({ id, label: openapi.ways[id] }))} value={way} onChange={(next) => onChange({ ...given, way: next })} />
      </div>
      {way === "url" && (
        <TextField
          label={openapi.address}
          type="url"
          // Another way that is chosen leaves the focus at the choice.
          autoFocus={isFirst.current}
          isRequired
          placeholder="https://"
          value={given.url}
          onChange={(url) => onChange({ ...given, url })}
          description={openapi.addressHint}
          error={error}
        />
      )}
      {way === "file" && <FileField given={given} onChange={onChange} error={error} />}
      {way === "text" && (
        <div className="sites-code">
          <TextField
            label={openapi.text}
            isMultiline
            rows={10}
            isRequired
            spellCheck="false"
            value={given.text}
            onChange={(text) => onChange({ ...given, text })}
            description={openapi.textHint}
            error={error}
          />
        </div>
      )}
    </>
  );
}

/** The choice of a file, whose text is read in the browser. */
function FileField({ given, onChange, error }: Props) {
  const { openapi } = useMessages();
  const [problem, setProblem] = useState<string>();
  const { file } = given;
  const choose = async (chosen: File | undefined) => {
    if (!chosen) return;
    setProblem(undefined);
    if (chosen.size > MAX_SIZE) return setProblem(openapi.tooLarge);
    try {
      onChange({ ...given, file: { name: chosen.name, text: await chosen.text() } });
    } catch {
      setProblem(openapi.unreadable(chosen.name));
    }
  };
  const reason = problem ?? error;
  return (
    <div className="field">
      <span className="openapi-label">{openapi.file}</span>
      <div className="row">
        <FileTrigger acceptedFileTypes={[".json", ".yaml", ".yml"]} onSelect={(files) => void choose(files?.[0])}>
          <Button icon="file">{file === undefined ? openapi.chooseFile : openapi.chooseOther}</Button>
        </FileTrigger>
        {file !== undefined && (
          <span className="openapi-file" role="status">
            <Icon name="check" />
            {file.name}
          </span>
        )}
      </div>
      <p className="hint-text">{openapi.fileHint}</p>
      {reason !== undefined && (
        <p className="error-text" role="alert">
          {reason}
        </p>
      )}
    </div>
  );
}
