import type { Json } from '../../api/meta/object.ts'
import type { WhyChange, WhyChanges, WhyStep } from '../../meta/why.ts'
import type { InputObject } from '../input/input-object.ts'
import { locatePointer } from '../input/position.ts'
import { shownValue } from '../secret-values.ts'
import type { CheckFinding } from '../types.ts'
import { objectFinding, pointerPath } from './finding.ts'

/**
 * Findings about what the server changes: dropped values, changes of policies and webhooks, and with `showDefaults`
 * defaults.
 */
export function changeFindings(object: InputObject, steps: readonly WhyStep[], showDefaults: boolean): CheckFinding[] {
  return steps.flatMap(step => {
    switch (step.step) {
      case 'dropped':
        return step.because === 'unknown field'
          ? []
          : step.fields.flatMap(pointer => droppedFindings(object, pointer, step.because, step.gate))
      case 'policy':
        return mutationFindings(object, { rule: 'policy-mutated', what: 'policy', by: step.policy }, step.changes)
      case 'webhook':
        return mutationFindings(object, { rule: 'webhook-mutated', what: 'webhook', by: step.webhook }, step.patch)
      case 'defaults':
      case 'rules of the kind':
        return showDefaults ? defaultFindings(object, step.changes, 'the server') : []
      case 'admission plugin':
        return showDefaults && !BY_POLICIES.has(step.plugin) && step.changes !== undefined
          ? defaultFindings(object, step.changes, step.plugin)
          : []
      default:
        return []
    }
  })
}

/** Source of a change. */
interface Mutator {
  readonly rule: 'policy-mutated' | 'webhook-mutated'
  readonly what: 'policy' | 'webhook'
  readonly by: string
}

function mutationFindings(object: InputObject, { rule, what, by }: Mutator, given: WhyChanges = []): CheckFinding[] {
  // Objects without a creation time have one that is null before they are evaluated.
  const changes = given === 'too large' ? given : given.filter(({ path }) => path !== '/metadata/creationTimestamp')
  if (changes.length === 0) return []
  return [
    objectFinding(object, rule, 'note', `${what} ${by} changes ${changesText(changes)}`, {
      by,
      diff: patchText(object, changes),
      ...placeOf(object, changes),
    }),
  ]
}

/** Plugins whose changes are recorded by policy or webhook. */
const BY_POLICIES: ReadonlySet<string> = new Set(['MutatingAdmissionPolicy', 'MutatingAdmissionWebhook'])

function droppedFindings(object: InputObject, pointer: string, because: string, gate: string | undefined): CheckFinding[] {
  const field = pointerPath(pointer)
  const parts = { field, at: locatePointer(object.node, pointer) }
  if (because === 'feature gate') {
    const why = gate === undefined ? 'its feature gate is off' : `the feature gate ${gate} is off`
    const advice = gate === undefined ? {} : { advice: `enable the gate (--feature-gates ${gate}=true), or remove the field` }
    return [objectFinding(object, 'dropped-value', 'warning', `${field} is dropped, because ${why}`, { ...parts, ...advice })]
  }
  // Decoding derives some fields from others, such as status.podIPs from status.podIP.
  if (!parts.at.isExact) return []
  const message = `${field} is dropped: only the subresource status writes it`
  return [objectFinding(object, 'dropped-value', 'note', message, { ...parts, advice: 'remove the field' })]
}

/** Members that every object gets. */
const OF_EVERY_OBJECT = /^\/metadata\/(?:uid|creationTimestamp|resourceVersion|generation|managedFields|namespace)$|^\/status(?:\/|$)/

function defaultFindings(object: InputObject, changes: WhyChanges, by: string): CheckFinding[] {
  if (changes === 'too large') return []
  return changes
    .filter(({ op, path }) => op !== 'remove' && !OF_EVERY_OBJECT.test(path))
    .map(({ path, value }) =>
      objectFinding(object, 'default-value', 'note', `${pointerPath(path)}: ${newValueText(object, path, value)} is set by ${by}`, {
        field: pointerPath(path),
        at: locatePointer(object.node, path),
        ...(by !== 'the server' && { by }),
      }),
    )
}

const newValueText = ({ kind }: InputObject, pointer: string, value: Json | undefined): string =>
  JSON.stringify(shownValue(kind, pointer, value), jsonSafe)

const jsonSafe = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)

function changesText(changes: WhyChanges): string {
  if (changes === 'too large') return 'the object'
  const paths = changes.map(({ path }) => pointerPath(path))
  return paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ')
}

/** Lines of a diff: `+ spec.replicas: 3`. */
function patchText(object: InputObject, changes: WhyChanges): string {
  if (changes === 'too large') return ''
  return changes
    .map(
      change =>
        `${change.op === 'remove' ? '-' : change.op === 'add' ? '+' : '~'} ${pointerPath(change.path)}${'value' in change ? `: ${newValueText(object, change.path, change.value)}` : ''}\n`,
    )
    .join('')
}

function placeOf(object: InputObject, changes: WhyChanges): { readonly field?: string; readonly at?: ReturnType<typeof locatePointer> } {
  const first: WhyChange | undefined = changes === 'too large' ? undefined : changes[0]
  return first === undefined ? {} : { field: pointerPath(first.path), at: locatePointer(object.node, first.path) }
}
