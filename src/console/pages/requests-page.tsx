import { useState } from 'preact/hooks'
import { ColumnHeads } from '../column-heads.tsx'
import { isRecord, type Json } from '../objects.ts'
import { Failure, Loading, Note, Off, PageHead } from '../parts.tsx'
import { routeHash } from '../route.ts'
import { callJson } from '../session.ts'
import { useFetched, useListKeys, usePolled } from '../use.ts'
import { lineText, yamlLines } from '../yaml-lines.ts'
import { DenialPart } from './denial-part.tsx'
import type { PageProps } from './page-props.ts'

/** Interval of polling. */
const EVERY_MS = 2_000
/** Limit for the requests of a poll. Filters apply to these. */
const LIMIT = 500

/** Item of the response of `GET /binnacle/v1/why`. */
interface RecentRequest {
  /** ID of the request, as in the audit log and the header `Audit-ID`. */
  readonly auditID: string
  /** RFC 3339 with milliseconds, UTC. */
  readonly time: string
  /** Empty if the request was not authenticated. */
  readonly user: string
  readonly userAgent: string
  readonly verb: string
  readonly uri: string
  /** Omitted while the request is in progress. */
  readonly status?: number
  /** Omitted while the request is in progress. */
  readonly milliseconds?: number
  /** Bytes of the response's body before compression, or 0 for a stream. */
  readonly bytes: number
}

/** Whether the console made the request. It polls frequently, so its own requests are not listed. */
const isOwn = ({ userAgent }: RecentRequest): boolean => userAgent === navigator.userAgent

/** Returns the client of a user agent, such as `kubectl/v1.33.4`. */
const clientOf = (userAgent: string): string => userAgent.split(' ', 1)[0] ?? ''

/** Recent requests, and the explanation of one of them. */
export function RequestsPage({ route }: PageProps) {
  const [, id] = route.parts
  return id === undefined ? <Requests key={route.query.text} text={route.query.text ?? ''} /> : <Request key={id} id={id} />
}

/** Table of recent requests, refreshed by polling. `text` is the first filter of paths. */
function Requests({ text: first }: { readonly text: string }) {
  const [user, setUser] = useState('')
  const [text, setText] = useState(first)
  const [isFailed, setFailed] = useState(false)
  const [selected, setSelected] = useState<string>()
  const { value, error } = usePolled(
    signal => callJson<{ readonly items: readonly RecentRequest[] }>(`/binnacle/v1/why?limit=${LIMIT}`, { signal }),
    EVERY_MS,
  )
  const requests = (value?.items ?? []).filter(
    each => !isOwn(each) && each.user.includes(user) && each.uri.includes(text) && (!isFailed || (each.status ?? 0) >= 400),
  )
  const at = requests.findIndex(({ auditID }) => auditID === selected)
  useListKeys({
    move: by => setSelected(requests[Math.min(requests.length - 1, Math.max(0, at + by))]?.auditID),
    open: () => {
      if (selected !== undefined) location.hash = routeHash(['requests', selected])
    },
  })
  return (
    <section class="page" aria-label="Requests">
      <PageHead title="Requests">
        {error?.status !== 404 && (
          <span class={`status ${error ? 'waiting' : value ? 'live' : 'loading'}`} role="status">
            <span class="dot" aria-hidden="true" />
            {error ? `trying again: ${error.message}` : value ? `live · ${requests.length.toLocaleString('en')}` : 'loading'}
          </span>
        )}
      </PageHead>
      {error?.status === 404 ? (
        <Off what="The record of requests" flag="--why=1000" />
      ) : error ? (
        <Failure error={error} />
      ) : value === undefined ? (
        <Loading />
      ) : (
        <>
          <form class="filters" role="search" aria-label="Filter requests" onSubmit={event => event.preventDefault()}>
            <label class="field">
              <span>User</span>
              <input type="text" value={user} onInput={({ currentTarget }) => setUser(currentTarget.value)} />
            </label>
            <label class="field">
              <span>Path</span>
              <input type="text" name="text" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
            </label>
            <label class="check">
              <input type="checkbox" checked={isFailed} onChange={({ currentTarget }) => setFailed(currentTarget.checked)} /> Failed only
            </label>
          </form>
          {requests.length === 0 ? <Note title="None of late." /> : <RequestTable requests={requests} selected={selected} />}
        </>
      )}
    </section>
  )
}

function RequestTable({ requests, selected }: { readonly requests: readonly RecentRequest[]; readonly selected: string | undefined }) {
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label={`${requests.length} requests, the newest first`}>
      <table class="rows">
        <ColumnHeads names={['Time', 'Verb', 'Path', 'User', 'Client', 'Status', 'Duration', 'Bytes']} />
        <tbody>
          {requests.map(({ auditID, time, verb, uri, user, userAgent, status, milliseconds, bytes }) => (
            <tr key={auditID} aria-current={auditID === selected ? 'true' : undefined}>
              <td>{time.slice(11, 23)}</td>
              <td>{verb}</td>
              <td>
                <a href={routeHash(['requests', auditID])}>
                  <bdi>{uri.slice(0, 300)}</bdi>
                </a>
              </td>
              <td>
                <bdi>{user.slice(0, 100)}</bdi>
              </td>
              <td>
                <bdi>{clientOf(userAgent).slice(0, 100)}</bdi>
              </td>
              <td class={(status ?? 0) >= 400 ? 'bad' : undefined}>{status ?? '…'}</td>
              <td class="number">{milliseconds === undefined ? '…' : `${milliseconds.toFixed(1)} ms`}</td>
              <td class="number">{bytes.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A step of a request: its name, milliseconds since the start, and members of its own. */
type RecordedStep = { readonly step: string; readonly at: number } & Readonly<Record<string, Json>>
/** Item of the response of `GET /binnacle/v1/why/<id>`. */
type Why = RecentRequest & {
  readonly steps: readonly RecordedStep[]
  readonly denial?: Json
  readonly answer?: Json
  readonly request?: Json
}

/** Class of an outcome or decision. Others have none. */
const OUTCOMES: Readonly<Record<string, string>> = {
  allow: 'good',
  admitted: 'good',
  deny: 'bad',
  'no opinion': 'bad',
  refused: 'bad',
  failed: 'bad',
  error: 'bad',
}

function Request({ id }: { readonly id: string }) {
  const { value, error } = useFetched(signal => callJson<Why>(`/binnacle/v1/why/${encodeURIComponent(id)}`, { signal }), [id])
  return (
    <section class="page" aria-label="Request">
      <PageHead title={value === undefined ? 'Request' : `${value.verb} ${value.uri.slice(0, 300)}`}>
        <a href="#/requests">All requests</a>
      </PageHead>
      <div class="page-body">
        {error ? (
          <Failure error={error} />
        ) : value === undefined ? (
          <Loading />
        ) : (
          <>
            <p>
              <span class={(value.status ?? 0) >= 400 ? 'bad' : 'good'}>{value.status ?? 'under way'}</span> for{' '}
              <bdi>{value.user.slice(0, 300) || 'unknown user'}</bdi>, {value.milliseconds?.toFixed(1)} ms,{' '}
              {value.bytes.toLocaleString('en')} bytes
            </p>
            <DenialPart denial={value.denial} />
            <ol class="steps">
              {value.steps.map((step, i) => (
                <StepItem key={`${i}`} step={step} />
              ))}
            </ol>
            <RequestPart title="Answer" value={value.answer} />
            <RequestPart title="Request" value={value.request} />
          </>
        )}
      </div>
    </section>
  )
}

/** A step, with its members as YAML. */
function StepItem({ step: { step, at, ...rest } }: { readonly step: RecordedStep }) {
  const outcome = String(rest.decision ?? rest.outcome ?? '')
  return (
    <li>
      <span class="muted">{at.toFixed(1)} ms</span>
      <span>
        <b>{step}</b> <span class={OUTCOMES[outcome]}>{outcome}</span>
      </span>
      <Text value={rest} />
    </li>
  )
}

/** Limit for the lines of a YAML text. */
const MOST_LINES = 200

/** A value as YAML, cut after MOST_LINES. An empty object is an empty text. */
function Text({ value }: { readonly value: Json }) {
  const lines = isRecord(value) && Object.keys(value).length === 0 ? [] : yamlLines(value)
  return <pre class="text">{[...lines.slice(0, MOST_LINES).map(lineText), ...(lines.length > MOST_LINES ? ['…'] : [])].join('\n')}</pre>
}

function RequestPart({ title, value }: { readonly title: string; readonly value: Json | undefined }) {
  if (value === undefined) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Text value={value} />
    </section>
  )
}
