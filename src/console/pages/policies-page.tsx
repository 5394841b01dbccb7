import { useState } from 'preact/hooks'
import { groupVersion, resourcePath } from '../kinds.ts'
import { Failure, Note, PageHead } from '../parts.tsx'
import { objectHash } from '../route.ts'
import { ApiError, sendJson } from '../session.ts'
import type { PageProps } from './page-props.ts'

/** Response of `POST /binnacle/v1/console/policies`. */
interface Tried {
  readonly results: readonly {
    readonly namespace: string
    readonly name: string
    readonly outcome: 'allowed' | 'refused' | 'failed' | 'not matched'
    readonly messages: readonly string[]
  }[]
  /** Whether there are more objects than were evaluated. */
  readonly isCut: boolean
}

const EXAMPLE = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: has-owner
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: ["*"]
      apiVersions: ["*"]
      operations: ["*"]
      resources: ["*"]
  validations:
  - expression: has(object.metadata.labels) && 'owner' in object.metadata.labels
    messageExpression: "'the label owner is missing of ' + object.metadata.name"
`

/** Evaluates a policy for stored objects. */
export function PoliciesPage({ kinds }: PageProps) {
  const [policy, setPolicy] = useState(EXAMPLE)
  const [chosen, setChosen] = useState('deployments.apps')
  const [namespace, setNamespace] = useState('')
  const [tried, setTried] = useState<Tried>()
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const preferred = kinds.filter(each => each.preferred)
  const nameOf = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
    group === '' ? resource : `${resource}.${group}`
  const kind = preferred.find(each => nameOf(each) === chosen)
  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (kind === undefined) return
    setBusy(true)
    try {
      setTried(
        await sendJson<Tried>('POST', '/binnacle/v1/console/policies', {
          policy,
          path: resourcePath(kind, kind.namespaced ? namespace : ''),
        }),
      )
      setError(undefined)
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)))
    }
    setBusy(false)
  }
  return (
    <section class="page" aria-label="Policies">
      <PageHead title="Policies" />
      <div class="page-body">
        <form class="form" aria-label="Try a policy" onSubmit={event => void run(event)}>
          <label class="field wide">
            <span>ValidatingAdmissionPolicy (YAML); a second document is its parameters</span>
            <textarea rows={16} spellcheck={false} value={policy} onInput={({ currentTarget }) => setPolicy(currentTarget.value)} />
          </label>
          <label class="field">
            <span>Stored objects</span>
            <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {preferred.map(each => (
                <option key={`${groupVersion(each)}/${each.resource}`} value={nameOf(each)}>
                  {nameOf(each)}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>Namespace</span>
            <input
              type="text"
              value={namespace}
              placeholder="all"
              autocomplete="off"
              onInput={({ currentTarget }) => setNamespace(currentTarget.value)}
            />
          </label>
          <div class="actions">
            <button type="submit" class="main" disabled={isBusy}>
              Try it
            </button>
          </div>
        </form>
        <div aria-live="polite">{error ? <Failure error={error} /> : tried && kind && <Results tried={tried} kind={kind} />}</div>
      </div>
    </section>
  )
}

const CLASSES = { allowed: 'good', refused: 'bad', failed: 'warn', 'not matched': 'muted' } as const
const ORDER = ['failed', 'refused', 'allowed', 'not matched']
const MOST_SHOWN = 500

function Results({ tried: { results, isCut }, kind }: { readonly tried: Tried; readonly kind: PageProps['kinds'][number] }) {
  if (results.length === 0) return <Note title="There are no such objects." />
  const counts = ORDER.map(outcome => [outcome, results.filter(each => each.outcome === outcome).length] as const).filter(
    ([, count]) => count > 0,
  )
  const sorted = [...results].sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome))
  return (
    <>
      <p>
        {counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}
        {isCut ? '. There are more objects, which were not tried.' : '.'}
      </p>
      <div class="wide-table" tabIndex={0} role="region" aria-label="Outcomes of the policy">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Object</th>
              <th scope="col">Outcome</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, MOST_SHOWN).map(({ namespace, name, outcome, messages }) => (
              <tr key={`${namespace}/${name}`}>
                <td>
                  <a href={objectHash(kind, namespace, name)}>
                    <bdi>{namespace === '' ? name : `${namespace}/${name}`}</bdi>
                  </a>
                </td>
                <td class={CLASSES[outcome]}>{outcome}</td>
                <td class="wrap">
                  <bdi>{messages.join('; ')}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
