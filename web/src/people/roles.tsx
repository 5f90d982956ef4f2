import type { Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { type Option, Select } from "../ui";

/** A role, or `null` for a guest or no access. */
export type Role = Schemas["MemberRoleOrGuest"];
export type MemberRole = Schemas["MemberRole"];

/** The roles, from the most powerful to the least. */
export const ROLES: readonly MemberRole[] = ["admin", "create", "review", "edit", "comment", "read"];

/** A role as the key of an option. */
export type RoleKey = MemberRole | "guest";

/** Returns the key of a role. */
export function roleKey(role: Role | undefined): RoleKey {
  return role ?? "guest";
}

/** Returns the role of a key. */
export function roleOf(key: RoleKey): Role {
  return key === "guest" ? null : key;
}

/** Returns a function that gives the name of a role. */
export function useRoleName(): (role: Role | undefined) => string {
  const { people } = useMessages();
  return (role) => people.roles[roleKey(role)];
}

interface RoleSelectProps {
  label: string;
  isLabelHidden?: boolean;
  value: Role;
  onChange: (role: Role) => void;
  /** True to offer "Guest" as well. */
  hasGuest?: boolean;
  /** Other words for no role, which is then offered too. */
  guest?: { label: string; description: string };
  isDisabled?: boolean;
  description?: string;
}

/** A choice of a role. */
export function RoleSelect({ label, isLabelHidden, value, onChange, hasGuest, guest, isDisabled, description }: RoleSelectProps) {
  const { people } = useMessages();
  const keys: RoleKey[] = hasGuest || guest || value === null ? [...ROLES, "guest"] : [...ROLES];
  const options: Option<RoleKey>[] = keys.map((id) => ({
    id,
    label: people.roles[id],
    description: people.roleHints[id],
    ...(id === "guest" && guest),
  }));
  return (
    <Select
      label={label}
      isLabelHidden={isLabelHidden ?? false}
      options={options}
      value={roleKey(value)}
      onChange={(key) => onChange(roleOf(key))}
      isDisabled={isDisabled ?? false}
      {...(description !== undefined && { description })}
    />
  );
}
