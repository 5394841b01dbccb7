import { ColumnHeads } from '../column-heads.tsx'
import { type Sample, samplesOf } from '../exposition.ts'
import { groupVersion, type Kind } from '../kinds.ts'
import { Failure, Loading, Note, PageHead } from '../parts.tsx'
import { tableHash } from '../route.ts'
import { callApi, callJson } from '../session.ts'
import { useFetched, usePolled } from '../use.ts'
import type { PageProps } from './page-props.ts'

const EVERY_MS = 5_000
const DEPRECATED = 'apiserver_requested_deprecated_apis'
const REQUESTS = 'apiserver_request_total'
const WANTED: ReadonlySet<string> = new Set([DEPRECATED, REQUESTS])

interface RecentCall {
  readonly uri: string
  readonly user: string
  readonly userAgent: string
}

/** Shows the deprecated versions that were requested since the start, and their clients if requests are recorded. */
export function DeprecatedPage({ kinds }: PageProps) {
  const { value: samples, error } = usePolled(
    async signal => samplesOf(await (await callApi('/metrics', { headers: { Accept: 'text/plain' }, signal })).text(), WANTED),
    EVERY_MS,
  )
  const { value: recent } = useFetched(recentRequests, [])
  const found = (samples ?? []).filter(({ name, value }) => name === DEPRECATED && value > 0)
  return (
    <section class="page" aria-label="Deprecated versions">
      <PageHead title="Deprecated versions" />
      {error ? (
        <Failure error={error} />
      ) : samples === undefined ? (
        <Loading />
      ) : found.length === 0 ? (
        <Note title="No deprecated version has been requested since the start." />
      ) : (
        <div class="scroller" tabIndex={0} role="region" aria-label="Deprecated versions that clients have requested">
          <table class="plain">
            <ColumnHeads names={['Resource', 'Version', 'Removed in', 'Requests', 'By whom']} />
            <tbody>
              {found.map(({ labels }) => (
                <tr key={JSON.stringify(labels)}>
                  <td>
                    <Resource labels={labels} kinds={kinds} />
                  </td>
                  <td>{groupVersion({ group: labels.group ?? '', version: labels.version ?? '' })}</td>
                  <td>{labels.removed_release || '–'}</td>
                  <td class="number">{requestsOf(samples, labels).toLocaleString('en')}</td>
                  <td class="wrap">
                    {recent === undefined ? (
                      <span class="muted">not recorded: start the server with --why=1000</span>
                    ) : (
                      callers(recent, labels)
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Resource({ labels, kinds }: { readonly labels: Sample['labels']; readonly kinds: readonly Kind[] }) {
  const kind = kinds.find(
    ({ group, version, resource }) => group === labels.group && version === labels.version && resource === labels.resource,
  )
  const name = `${labels.resource}${labels.subresource ? `/${labels.subresource}` : ''}`
  return kind ? <a href={tableHash(kind)}>{name}</a> : <span>{name}</span>
}

/** Returns the number of requests for a deprecated version, whose samples have the same labels. */
const requestsOf = (samples: readonly Sample[], { group, version, resource, subresource }: Sample['labels']): number =>
  samples.reduce(
    (sum, { name, labels, value }) =>
      name === REQUESTS &&
      labels.group === group &&
      labels.version === version &&
      labels.resource === resource &&
      (labels.subresource ?? '') === (subresource ?? '')
        ? sum + value
        : sum,
    0,
  )

/** Returns recent requests. Undefined if they are not recorded. */
const recentRequests = (signal: AbortSignal): Promise<readonly RecentCall[] | undefined> =>
  callJson<{ readonly items?: readonly RecentCall[] }>('/binnacle/v1/why?limit=1000', { signal }).then(
    ({ items = [] }) => items,
    () => undefined,
  )

function callers(recent: readonly RecentCall[], { group, version, resource }: Sample['labels']): string {
  const root = group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`
  const among = recent.filter(({ uri }) => uri.startsWith(root) && uri.split(/[/?]/).includes(resource ?? ''))
  const counts = new Map<string, number>()
  for (const { user, userAgent } of among) {
    const caller = `${user} (${userAgent.split(' ', 1)[0]})`
    counts.set(caller, (counts.get(caller) ?? 0) + 1)
  }
  return counts.size === 0 ? 'no recent client' : [...counts].map(([caller, times]) => `${caller} × ${times}`).join(', ')
}
