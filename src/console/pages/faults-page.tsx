import { useEffect, useRef, useState } from 'preact/hooks'
import { LiveTable } from '../live-table.ts'
import { Failure, Loading, Note, Off, PageHead } from '../parts.tsx'
import { objectHash } from '../route.ts'
import { ApiError, callApi, sendJson } from '../session.ts'
import { chosenRows } from '../table-rows.ts'
import type { PageProps } from './page-props.ts'

const FAULTS = { group: 'binnacle.dev', version: 'v1alpha1', resource: 'faults' }
const PATH = '/apis/binnacle.dev/v1alpha1/faults'
/** Effects of a fault that can be selected. */
const EFFECTS = {
  '429': { label: '429 Too Many Requests', spec: { status: { code: 429, retryAfterSeconds: 1 } } },
  '500': { label: '500 Internal Server Error', spec: { status: { code: 500 } } },
  '503': { label: '503 Service Unavailable', spec: { status: { code: 503, retryAfterSeconds: 1 } } },
  '504': { label: '504 Gateway Timeout', spec: { status: { code: 504 } } },
  '409': { label: '409 Conflict, of updates and patches', spec: { status: { code: 409 } } },
  delay: { label: 'a delay', spec: {} },
  BeforeCommit: { label: 'the connection is cut before the request is executed', spec: { cut: 'BeforeCommit' } },
  AfterCommit: { label: 'the connection cut, all done', spec: { cut: 'AfterCommit' } },
  gone: { label: '410 Gone for available history', spec: { gone: true } },
  watch: { label: 'watches cut after 10 events', spec: { watch: { endAfter: 10 } } },
  webhooks: { label: 'webhooks that cannot be reached', spec: { webhooksDown: ['*'] } },
} as const

/** Fault injection: existing faults with their hits, and a form for a new one. */
export function FaultsPage({ kinds }: PageProps) {
  const isOn = kinds.some(({ group, resource }) => group === FAULTS.group && resource === FAULTS.resource)
  return (
    <section class="page" aria-label="Faults">
      <PageHead title="Faults" />
      {isOn ? <Faults /> : <Off what="The kind Fault" flag="--enable-faults" />}
    </section>
  )
}

function Faults() {
  const [, redraw] = useState(0)
  const [error, setError] = useState<ApiError>()
  const table = useRef<LiveTable>()
  useEffect(() => {
    table.current = new LiveTable(PATH, {}, () => redraw(n => n + 1))
    return () => table.current?.close()
  }, [])
  const live = table.current
  const attempt = (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => {
        setError(undefined)
        return true
      },
      (failure: unknown) => {
        setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)))
        return false
      },
    )
  return (
    <div class="page-body">
      <FaultForm onCreate={fault => attempt(sendJson('POST', PATH, fault))} />
      {error && <Failure error={error} />}
      {live === undefined || live.state === 'loading' ? (
        <Loading />
      ) : live.state === 'failed' ? (
        <Failure error={new ApiError(403, live.problem)} />
      ) : live.rows.size === 0 ? (
        <Note title="No faults: every request is served as it should be." />
      ) : (
        <FaultTable live={live} onDelete={name => attempt(callApi(`${PATH}/${encodeURIComponent(name)}`, { method: 'DELETE' }))} />
      )}
    </div>
  )
}

function FaultTable({ live, onDelete }: { readonly live: LiveTable; onDelete(name: string): Promise<unknown> }) {
  const columns = live.columns.map((column, at) => ({ column, at })).filter(({ column }) => column.priority === 0 && column.name !== 'Age')
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label="Faults that there are">
      <table class="plain">
        <thead>
          <tr>
            {columns.map(({ column }) => (
              <th key={column.name} scope="col">
                {column.name}
              </th>
            ))}
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {chosenRows(live.rows, '', undefined).map(([key, { cells, object }]) => (
            <tr key={key}>
              {columns.map(({ column, at }) => (
                <td key={column.name}>
                  {at === 0 ? <a href={objectHash(FAULTS, '', object.metadata.name)}>{object.metadata.name}</a> : String(cells[at] ?? '')}
                </td>
              ))}
              <td>
                <button type="button" onClick={() => void onDelete(object.metadata.name)}>
                  Delete<span class="unseen"> {object.metadata.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const LISTS = [
  ['verbs', 'Verbs', 'get, list, update'],
  ['resources', 'Resources', 'configmaps, deployments.apps'],
  ['namespaces', 'Namespaces', 'default'],
  ['users', 'Users', 'system:serviceaccount:*'],
] as const

function FaultForm({ onCreate }: { onCreate(fault: object): Promise<boolean> }) {
  const create = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    void onCreate(faultFromForm(new FormData(form))).then(isDone => isDone && form.reset())
  }
  return (
    <form class="form" aria-label="Another fault" onSubmit={create}>
      <label class="field">
        <span>Name</span>
        <input type="text" name="name" required value="" autocomplete="off" placeholder="busy" />
      </label>
      <label class="field">
        <span>Effect</span>
        <select name="effect">
          {Object.entries(EFFECTS).map(([id, { label }]) => (
            <option key={id} value={id} selected={id === '503'}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {LISTS.map(([name, label, hint]) => (
        <label class="field" key={name}>
          <span>{label}</span>
          <input type="text" name={name} placeholder={hint} autocomplete="off" spellcheck={false} />
        </label>
      ))}
      <label class="field">
        <span>Share of requests</span>
        <input type="number" name="share" min="0" max="1" step="any" placeholder="1" />
      </label>
      <label class="field">
        <span>Requests at most</span>
        <input type="number" name="count" min="1" step="1" placeholder="no limit" />
      </label>
      <label class="field">
        <span>Delay</span>
        <input type="text" name="delay" placeholder="500ms" autocomplete="off" />
      </label>
      <label class="check">
        <input type="checkbox" name="spares" defaultChecked /> Spare browsers
      </label>
      <div class="actions">
        <button type="submit" class="main">
          Add
        </button>
      </div>
    </form>
  )
}

/** Returns the object that a form describes. */
function faultFromForm(form: FormData): object {
  const text = (name: string): string => String(form.get(name) ?? '').trim()
  const list = (name: string): string[] =>
    text(name)
      .split(/[\s,]+/)
      .filter(Boolean)
  const match = Object.fromEntries(LISTS.map(([name]) => [name, list(name)] as const).filter(([, values]) => values.length > 0))
  // Without an exemption, a fault for all clients would also affect the console, which is used to delete it.
  const agents = form.has('spares') ? { agents: ['!Mozilla*'] } : {}
  const rate = {
    ...(text('share') !== '' && { share: Number(text('share')) }),
    ...(text('count') !== '' && { count: Number(text('count')) }),
  }
  const effect = EFFECTS[text('effect') as keyof typeof EFFECTS]
  const delay = text('delay') === '' ? (text('effect') === 'delay' ? { delay: '1s' } : {}) : { delay: text('delay') }
  return {
    apiVersion: `${FAULTS.group}/${FAULTS.version}`,
    kind: 'Fault',
    metadata: { name: text('name') },
    spec: { match: { ...match, ...agents }, ...(Object.keys(rate).length > 0 && { rate }), ...delay, ...effect.spec },
  }
}
