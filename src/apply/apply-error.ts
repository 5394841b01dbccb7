import { compareText } from '../lib/compare-text.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { type Manager, managerIdentity } from './managed.ts'
import { type PathElement, printElement } from './path-element.ts'

/** A field that an apply would change, and the manager that owns it. */
export interface Conflict {
  readonly manager: Manager
  readonly path: readonly PathElement[]
}

type ApplyErrorCode = 'bad request' | 'conflict' | 'internal' | 'undecodable'

/**
 * An apply that failed. The endpoint translates the code to a Status: `bad request` to 400 with the message ·
 * `conflict` to 409, reason Conflict, with the message and a cause for each conflict (reason FieldManagerConflict) ·
 * `internal` to 500 with the message, without reason and details · `undecodable`, if the merged object cannot be
 * decoded, to the same as `internal`.
 */
export class ApplyError extends Error {
  override readonly name = 'ApplyError'
  readonly code: ApplyErrorCode
  readonly conflicts: readonly Conflict[]

  constructor(code: ApplyErrorCode, message: string, conflicts: readonly Conflict[] = []) {
    super(message)
    this.code = code
    this.conflicts = conflicts
  }
}

/** Returns the causes of a Status, one for each conflict, in steps. */
export function* causesOf({ conflicts }: ApplyError): Steps<{ reason: string; message: string; field: string }[]> {
  const causes: { reason: string; message: string; field: string }[] = []
  for (const { manager, path } of conflicts) {
    if (isStepDone()) yield
    causes.push({ reason: 'FieldManagerConflict', message: `conflict with ${printManager(manager)}`, field: printPath(path) })
  }
  return causes
}

/**
 * Returns the error of one or more conflicts with upstream's message: a single one in a line, several grouped by
 * manager, in the order of their identities. Runs in steps.
 */
export function* conflictError(conflicts: readonly Conflict[]): Steps<ApplyError> {
  const [first] = conflicts
  if (first !== undefined && conflicts.length === 1)
    return new ApplyError(
      'conflict',
      `Apply failed with 1 conflict: conflict with ${printManager(first.manager)}: ${printPath(first.path)}`,
      conflicts,
    )
  const identities = new Map<Manager, string>()
  const byManager = new Map<string, string[]>()
  for (const { manager, path } of conflicts) {
    if (isStepDone()) yield
    const identity = identities.get(manager) ?? managerIdentity(manager)
    identities.set(manager, identity)
    const lines = byManager.get(identity) ?? [`conflicts with ${printManager(manager)}:`]
    lines.push(`- ${printPath(path)}`)
    byManager.set(identity, lines)
  }
  const lines = [...byManager].sort(([a], [b]) => compareText(a, b)).flatMap(([, group]) => group)
  return new ApplyError('conflict', `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`, conflicts)
}

const printPath = (path: readonly PathElement[]): string => path.map(printElement).join('')

function printManager({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`)
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}
