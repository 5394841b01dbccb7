/** Parts of this machine that rules of simulated containers may use. */
export const LOCAL_PARTS = ['files', 'processes', 'network'] as const
export type LocalPart = (typeof LOCAL_PARTS)[number]

const EFFECTS: Readonly<Record<LocalPart, string>> = {
  files: 'reads a file of the machine of the server',
  processes: 'starts a process on the machine of the server',
  network: 'connects to an address from the machine of the server',
}

/** Returns the reason why a rule may not use a part of this machine. Undefined if it may. */
export const localFault = (allowed: ReadonlySet<LocalPart>, part: LocalPart): string | undefined =>
  allowed.has(part) ? undefined : `the rule ${EFFECTS[part]}, which its operator has not allowed: start it with --simulated-access=${part}`
