import { type ReactNode, useEffect, useState } from "react";
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Checkbox as AriaCheckbox,
  type CheckboxProps,
  Dialog as AriaDialog,
  FieldError,
  Heading,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Menu as AriaMenu,
  MenuItem,
  type MenuItemProps,
  MenuTrigger,
  Modal as AriaModal,
  ModalOverlay,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  type SwitchProps,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Tooltip,
  TooltipTrigger,
} from "react-aria-components";

import { useLanguage, useMessages } from "../i18n";
import { Icon, type IconName } from "./icons";

export { isEscapeIn } from "./escape";
export { Icon, type IconName };
export { Avatar, Badge, EmptyState, ErrorState, Time } from "./parts";
export { notify, Toasts } from "./toasts";

function classes(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}

export interface ButtonProps extends Omit<AriaButtonProps, "children" | "className"> {
  children: ReactNode;
  icon?: IconName;
  /** `primary` for the main action of a view, `danger` for one that destroys, `quiet` without a border, `search` as wide as a field. */
  kind?: "primary" | "danger" | "quiet" | "search";
  isSmall?: boolean;
}

/** A button with a text. */
export function Button({ children, icon, kind, isSmall, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={classes("button", kind && `button-${kind}`, isSmall && "button-small")}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

export interface IconButtonProps extends Omit<AriaButtonProps, "children" | "className"> {
  icon: IconName;
  /** The name of the action, shown beside the pointer. */
  label: string;
  /** A mark over the icon. */
  mark?: ReactNode;
}

/** A button with an icon; its name is shown as a tooltip. */
export function IconButton({ icon, label, mark, ...props }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...props} aria-label={label} className="icon-button">
        <Icon name={icon} />
        {mark}
      </AriaButton>
      <Tooltip className="tooltip" offset={4}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

export interface TextFieldProps extends Omit<AriaTextFieldProps, "children" | "className"> {
  label: string;
  description?: ReactNode;
  /** The reason why the value is refused. */
  error?: string | undefined;
  placeholder?: string;
  isMultiline?: boolean;
  rows?: number;
}

/**
 * Checks a value again that was refused. Fields check when they lose the focus, and the message that
 * then disappears would move the button that is being pressed away from the pointer.
 */
function checkAgain({ currentTarget }: { currentTarget: HTMLElement }): void {
  if (currentTarget.getAttribute("aria-invalid") === "true") currentTarget.dispatchEvent(new Event("change"));
}

/** A field for text with its label. */
export function TextField({ label, description, error, placeholder, isMultiline, rows, ...props }: TextFieldProps) {
  return (
    // A property `isInvalid` that is false would hide what the browser says, such as of a missing value.
    // A value that the server refused must not keep the browser from sending the next one.
    <AriaTextField {...props} {...(error !== undefined && { isInvalid: true, validationBehavior: "aria" as const })} className="field">
      <Label>{label}</Label>
      {isMultiline ? (
        <TextArea className="input" onInput={checkAgain} rows={rows ?? 4} placeholder={placeholder} />
      ) : (
        <Input className="input" onInput={checkAgain} placeholder={placeholder} />
      )}
      {description !== undefined && (
        <Text slot="description" className="hint-text">
          {description}
        </Text>
      )}
      <FieldError className="error-text">{error}</FieldError>
    </AriaTextField>
  );
}

export interface Option<K extends string = string> {
  id: K;
  label: string;
  description?: string;
}

export interface SelectProps<K extends string> {
  label: string;
  /** True to read the label to assistive programs only. */
  isLabelHidden?: boolean;
  options: readonly Option<K>[];
  value: K | null;
  onChange: (value: K) => void;
  description?: ReactNode;
  isDisabled?: boolean;
  autoFocus?: boolean;
}

/** A choice of one of several options. */
export function Select<K extends string>(props: SelectProps<K>) {
  const { label, isLabelHidden, options, value, onChange, description, isDisabled, autoFocus } = props;
  return (
    <AriaSelect
      className="field"
      value={value}
      isDisabled={isDisabled ?? false}
      autoFocus={autoFocus ?? false}
      onChange={(key) => {
        if (key !== null) onChange(key as K);
      }}
      {...(isLabelHidden && { "aria-label": label })}
    >
      {!isLabelHidden && <Label>{label}</Label>}
      <AriaButton className="button select-button">
        <SelectValue />
        <Icon name="down" />
      </AriaButton>
      {description !== undefined && (
        <Text slot="description" className="hint-text">
          {description}
        </Text>
      )}
      <Popover className="popover">
        <ListBox className="menu" items={options}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.label} className="menu-item">
              <Text slot="label">{option.label}</Text>
              {option.description && <Text slot="description">{option.description}</Text>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** A box that is checked or not. */
export function Checkbox({ children, ...props }: Omit<CheckboxProps, "children" | "className"> & { children: ReactNode }) {
  return (
    <AriaCheckbox {...props} className="checkbox">
      <span className="checkbox-box">
        <Icon name="check" />
      </span>
      {children}
    </AriaCheckbox>
  );
}

/** A switch that takes effect at once. */
export function Switch({ children, ...props }: Omit<SwitchProps, "children" | "className"> & { children: ReactNode }) {
  return (
    <AriaSwitch {...props} className="switch">
      <span className="switch-track" />
      {children}
    </AriaSwitch>
  );
}

export interface Command {
  id: string;
  label: string;
  icon?: IconName;
  /** The keys that run the command as well, as they are shown. */
  keys?: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  run?: () => void;
  href?: string;
}

/** A button that opens a menu of commands. */
export function Menu({
  label,
  icon = "more",
  children,
  commands,
}: {
  /** The name of the button. */
  label: string;
  icon?: IconName;
  /** The content of the button; an icon if it is absent. */
  children?: ReactNode;
  commands: readonly Command[];
}) {
  return (
    <MenuTrigger>
      {children === undefined ? (
        <IconButton icon={icon} label={label} />
      ) : (
        <AriaButton aria-label={label} className="button button-quiet">
          {children}
        </AriaButton>
      )}
      <Popover className="popover" placement="bottom end">
        <AriaMenu className="menu" aria-label={label}>
          {commands.map((command) => {
            const props: MenuItemProps = {
              id: command.id,
              textValue: command.label,
              isDisabled: command.isDisabled ?? false,
              ...(command.run && { onAction: command.run }),
              ...(command.href !== undefined && { href: command.href }),
            };
            return (
              <MenuItem key={command.id} {...props} className={classes("menu-item", command.isDanger && "menu-danger")}>
                {command.icon && <Icon name={command.icon} />}
                <Text slot="label">{command.label}</Text>
                {command.keys && <kbd className="keys">{command.keys}</kbd>}
              </MenuItem>
            );
          })}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

/** A window above the page. Escape and a click beside it close it, unless it is busy. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  footer,
  isWide,
  isBusy,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** The buttons at the end. */
  footer?: ReactNode;
  isWide?: boolean;
  isBusy?: boolean;
}) {
  const { shell } = useMessages();
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      isDismissable={!isBusy}
      isKeyboardDismissDisabled={isBusy ?? false}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <AriaModal className={classes("modal", isWide && "modal-wide")}>
        <AriaDialog className="dialog">
          <header className="dialog-header">
            <Heading slot="title">{title}</Heading>
            <IconButton icon="close" label={shell.close} onPress={onClose} />
          </header>
          <div className="dialog-body">{children}</div>
          {footer !== undefined && <footer className="dialog-footer">{footer}</footer>}
        </AriaDialog>
      </AriaModal>
    </ModalOverlay>
  );
}

/** Asks before something that cannot be undone. */
export function Confirm({
  title,
  children,
  action,
  isOpen,
  isBusy,
  onClose,
  onConfirm,
}: {
  title: string;
  children: ReactNode;
  /** The name of what happens. */
  action: string;
  isOpen: boolean;
  isBusy?: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { shell } = useMessages();
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      isBusy={isBusy ?? false}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose} isDisabled={isBusy ?? false}>
            {shell.cancel}
          </Button>
          <Button kind="danger" onPress={onConfirm} isPending={isBusy ?? false}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

/** Shows that something is loaded, after 300 milliseconds. */
export function Loading() {
  const { shell } = useMessages();
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="loading" role="status">
      {isShown ? shell.loading : ""}
    </p>
  );
}

/** Returns a function that shows a number in the language of the interface. */
export function useNumbers(): (value: number) => string {
  const { language } = useLanguage();
  return (value) => new Intl.NumberFormat(language).format(value);
}
