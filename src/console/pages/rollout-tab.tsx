import { podsByController, revisionsOf } from '../cluster-view.ts'
import { resourcePath } from '../kinds.ts'
import { isRecord, type Json, ownMember } from '../objects.ts'
import { Failure, Loading, Note } from '../parts.tsx'
import { PodMarks, readyText } from '../pod-marks.tsx'
import { objectHash } from '../route.ts'
import { ApiError } from '../session.ts'
import { useLiveTable } from '../use-live-table.ts'
import type { TabProps } from './tab-props.ts'

const REPLICA_SETS = { group: 'apps', version: 'v1', resource: 'replicasets' }
const PODS = { group: '', version: 'v1', resource: 'pods' }
/** Limit for the ReplicaSets that are shown. */
const MOST = 20

/** The ReplicaSets of a Deployment with their pods, newest first, as a rollout goes on. */
export function RolloutTab({ object }: TabProps) {
  const { namespace = '', uid = '' } = object.metadata
  const selector = selectorText(object as unknown as Json)
  const sets = useLiveTable(resourcePath(REPLICA_SETS, namespace), selector)
  const pods = useLiveTable(resourcePath(PODS, namespace), selector)
  if (sets === undefined || pods === undefined || sets.state === 'loading' || pods.state === 'loading') return <Loading />
  if (sets.state === 'failed' || pods.state === 'failed') return <Failure error={new ApiError(400, sets.problem || pods.problem)} />
  const revisions = revisionsOf(sets.columns, sets.rows, uid)
  if (revisions.length === 0) return <Note title="The Deployment has no ReplicaSets." />
  const bySet = podsByController(pods.columns, pods.rows)
  return (
    <ul class="node-cards rollout">
      {revisions.slice(0, MOST).map(({ key, uid: set, name, desired, ready }) => {
        const marks = bySet.get(set) ?? []
        return (
          <li key={key} class="node-card">
            <h2>
              <a href={objectHash(REPLICA_SETS, namespace, name)}>
                <bdi>{name}</bdi>
              </a>
            </h2>
            <p class="muted" role="status">
              {desired} wanted, {ready} ready · pods: {readyText(marks)}
            </p>
            <PodMarks pods={marks} label={`Pods of ${name}`} />
          </li>
        )
      })}
      {revisions.length > MOST && <li class="muted">{revisions.length - MOST} older ReplicaSets</li>}
    </ul>
  )
}

/** Returns the labels of the selector as a text for queries: `app=web`. */
export function selectorText(object: Json): string {
  const spec = isRecord(object) ? ownMember(object, 'spec') : undefined
  const selector = isRecord(spec) ? ownMember(spec, 'selector') : undefined
  const labels = isRecord(selector) ? ownMember(selector, 'matchLabels') : undefined
  return isRecord(labels)
    ? Object.entries(labels)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(',')
    : ''
}
