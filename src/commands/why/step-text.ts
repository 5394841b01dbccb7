import type { WhyProof, WhyStep, WhyUser } from '../../meta/why.ts'
import { changeLines } from './changes-text.ts'
import { duration } from './duration.ts'

type StepOf<S extends WhyStep['step']> = Extract<WhyStep, { step: S }>
type Texts = { readonly [S in WhyStep['step']]: (step: StepOf<S>) => readonly string[] }

const NOTHING = (): readonly string[] => []

/** Lines for each kind of step. Steps of admission, reads and writes are printed elsewhere. */
const TEXTS: Texts = {
  authenticated: ({ user, proof }) => [`${userText(user)}, by ${proofText(proof)}.`],
  'not authenticated': ({ reason }) => [`Not authenticated: ${reason}.`],
  impersonated: ({ user, allowedBy }) => [`Acts as ${userText(user)}.`, ...allowedBy.map(basis => `May ${basis}`)],
  authorized: authorizedLines,
  'priority level': ({ priorityLevel, flowSchema, seats, waited }) => [
    `Priority level ${priorityLevel}, by flow schema ${flowSchema}: ${seats} ${seats === 1 ? 'seat' : 'seats'}, ${waited === 0 ? 'without a wait' : `after a wait of ${duration(waited)}`}.`,
  ],
  fault: ({ does }) => [`An injected fault applied: ${does.join(', ')}.`],
  warning: ({ text }) => [text],
  dropped: droppedLines,
  defaults: ({ changes }) => (changes.length === 0 ? [] : ['Defaults were set:', ...changeLines(changes)]),
  'apply conflicts': ({ conflicts }) =>
    conflicts.map(
      ({ field, manager, operation, subresource, since }) =>
        `${field} is owned by the manager ${manager} (${operation}${subresource === undefined ? '' : ` of ${subresource}`}${since === undefined ? '' : `, since ${since}`}). To take it over: --force-conflicts. To leave it: remove the field from the configuration.`,
    ),
  'rules of the kind': ({ changes }) => (changes.length === 0 ? [] : ['The kind itself changed:', ...changeLines(changes)]),
  'audit annotation': ({ key, value }) => [`${key}: ${value}`],
  conversion: ({ definition, from, to, objects, milliseconds, failed }) => [
    `The webhook of ${definition} converted ${objects} ${objects === 1 ? 'object' : 'objects'} from ${from} to ${to} in ${duration(milliseconds)}${failed === undefined ? '' : `, and failed: ${failed}`}.`,
  ],
  'admission plugin': NOTHING,
  webhook: NOTHING,
  policy: NOTHING,
  attempt: NOTHING,
  written: NOTHING,
  read: NOTHING,
  store: NOTHING,
}

/** Returns the lines of a step. Empty for steps that are printed elsewhere or unknown. */
export function stepLines<S extends WhyStep>(step: S): readonly string[] {
  const text: ((step: never) => readonly string[]) | undefined = TEXTS[step.step]
  // A newer server may record other steps.
  return text === undefined ? [] : text(step as never)
}

const userText = ({ name, uid, groups }: WhyUser): string =>
  `${name}${uid === undefined || uid === '' ? '' : ` (uid ${uid})`}${groups.length === 0 ? ', in no group' : `, of ${groups.length === 1 ? 'group' : 'groups'} ${groups.join(', ')}`}`

function proofText(proof: WhyProof): string {
  switch (proof.kind) {
    case 'client certificate':
      return `client certificate "${proof.subject}", issued by "${proof.issuer}", valid until ${proof.notAfter}`
    case 'token': {
      const source = proof.source === undefined ? 'bearer token' : SOURCES[proof.source]
      return `${source}${proof.issuer === undefined ? '' : `, issued by ${proof.issuer}`}${proof.expires === undefined ? '' : `, valid until ${proof.expires}`}`
    }
    case 'front proxy':
      return `headers of the front proxy with certificate "${proof.certificate}"`
    case 'insecure port':
      return 'no credentials: on the insecure port every client is an administrator'
    case 'none':
      return 'no credentials'
  }
}

const SOURCES: Readonly<Record<NonNullable<Extract<WhyProof, { kind: 'token' }>['source']>, string>> = {
  'token file': 'a token of --token-auth-file',
  'service account': 'a token of a service account',
  'bootstrap token': 'a bootstrap token',
  issuer: 'a token of a configured issuer',
  webhook: 'a token that the webhook authenticated',
}

function authorizedLines({ decision, by, rule, reason, of }: StepOf<'authorized'>): readonly string[] {
  const what = of === undefined ? '' : `${of}: `
  const why = reason === '' ? '' : ` (${reason})`
  if (decision === 'error') return [`${what}Authorization failed: ${reason}.`]
  if (decision === 'deny') return [`${what}Denied by ${by ?? 'an authorizer'}${why}.`]
  if (decision === 'no opinion') return of === undefined ? [] : [`${what}Allowed by no authorizer${why}.`]
  if (by === 'system:masters') return [`${what}Allowed: members of the group system:masters may do everything.`]
  const place = rule === undefined ? '' : by === 'ABAC' ? `, line ${rule} of the policy file` : `, rule ${rule} of the rules file`
  return [
    `${what}Allowed by ${reason.startsWith('RBAC: allowed by ') ? reason.slice('RBAC: allowed by '.length) : `${by ?? 'an authorizer'}${place}${why}`}.`,
  ]
}

function droppedLines({ because, fields, gate }: StepOf<'dropped'>): readonly string[] {
  const list = fields.map(field => `  - ${field}`)
  if (because === 'unknown field') return ['Fields that the kind does not have were dropped:', ...list]
  if (because === 'feature gate')
    return [`Fields were cleared, because ${gate === undefined ? 'their feature gate' : `the feature gate ${gate}`} is off:`, ...list]
  return ['Fields were not changed: the status is written only through the status subresource.', ...list]
}
