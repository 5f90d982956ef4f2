import { useMessages } from "../i18n";
import { IconButton, TextField } from "../ui";
import { Choice } from "../ui/choice";
import { isEmpty, nameOf, OVERLAY_WAYS, type OverlayDraft } from "./overlays";

interface Props {
  draft: OverlayDraft;
  position: number;
  count: number;
  /** `true` if its fields are shown. */
  isOpen: boolean;
  /** The reason why it is refused. */
  error: string | undefined;
  onChange: (draft: OverlayDraft) => void;
  onMove: (to: number) => void;
  onOpen: () => void;
  onClose: () => void;
  onRemove: () => void;
}

/** An overlay in its list: its name with what can be done, and its fields when they are open. */
export function OverlayRow({ draft, position, count, isOpen, error, onChange, onMove, onOpen, onClose, onRemove }: Props) {
  const { openapi } = useMessages();
  const { overlays: texts } = openapi;
  const number = position + 1;
  const name = nameOf(draft) || (draft.way === "text" && !isEmpty(draft) ? texts.text : texts.unnamed);
  return (
    <li data-overlay={draft.id}>
      <div className="openapi-overlay">
        <span className="muted openapi-number">{number}.</span>
        <span className="grow sites-address">
          {name}
          {draft.way === "text" && nameOf(draft) !== "" && <span className="muted"> · {texts.text}</span>}
        </span>
        <span className="openapi-moves">
          <MoveButton way="up" label={texts.moveUp(number)} isDisabled={position === 0} onPress={() => onMove(position - 1)} />
          <MoveButton way="down" label={texts.moveDown(number)} isDisabled={number === count} onPress={() => onMove(position + 1)} />
          <IconButton icon={isOpen ? "check" : "edit"} label={isOpen ? texts.close(number) : texts.change(number)} aria-expanded={isOpen} onPress={isOpen ? onClose : onOpen} />
          <IconButton icon="trash" label={texts.remove(number)} onPress={onRemove} />
        </span>
      </div>
      {isOpen && <Fields draft={draft} number={number} error={error} onChange={onChange} />}
      {!isOpen && error !== undefined && <p className="error-text">{error}</p>}
    </li>
  );
}

function MoveButton({ way, label, isDisabled, onPress }: { way: "up" | "down"; label: string; isDisabled: boolean; onPress: () => void }) {
  return (
    <span data-way={way}>
      <IconButton icon={way} label={label} isDisabled={isDisabled} onPress={onPress} />
    </span>
  );
}

function Fields({ draft, number, error, onChange }: { draft: OverlayDraft; number: number; error: string | undefined; onChange: (draft: OverlayDraft) => void }) {
  const { openapi } = useMessages();
  const { overlays: texts } = openapi;
  const options = OVERLAY_WAYS.map((id) => ({ id, label: openapi.ways[id] }));
  return (
    <div className="stack openapi-overlay-fields">
      <div>
        <Choice label={texts.way(number)} options={options} value={draft.way} onChange={(way) => onChange({ ...draft, way })} />
      </div>
      {draft.way === "url" ? (
        <TextField
          label={openapi.address}
          type="url"
          validationBehavior="aria"
          placeholder="https://"
          value={draft.url}
          onChange={(url) => onChange({ ...draft, url })}
          description={texts.addressHint}
          error={error}
        />
      ) : (
        <div className="sites-code">
          <TextField
            label={openapi.text}
            validationBehavior="aria"
            isMultiline
            rows={10}
            spellCheck="false"
            value={draft.text}
            onChange={(text) => onChange({ ...draft, text })}
            description={texts.textHint}
            error={error}
          />
        </div>
      )}
    </div>
  );
}
