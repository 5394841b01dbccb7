import type { PodMark } from './cluster-view.ts'
import { objectHash } from './route.ts'

/** Limit for the marks of one group. */
const MOST = 250
const PODS = { group: '', version: 'v1', resource: 'pods' }

/** Pods as small coloured links. */
export function PodMarks({ pods, label }: { readonly pods: readonly PodMark[]; readonly label: string }) {
  return (
    <ul class="pod-marks" aria-label={label}>
      {pods.slice(0, MOST).map(({ key, namespace, name, state, text }) => (
        <li key={key}>
          <a class={`pod-mark ${state}`} href={objectHash(PODS, namespace, name)} title={`${namespace}/${name}: ${text}`}>
            <span class="unseen">{`${name}: ${text}`}</span>
          </a>
        </li>
      ))}
      {pods.length > MOST && <li class="muted">{pods.length - MOST} more</li>}
    </ul>
  )
}

/** Says how many pods are ready: `3 of 5 ready`. Pods that have completed do not count. */
export function readyText(pods: readonly PodMark[]): string {
  const running = pods.filter(({ state }) => state !== 'done')
  return `${running.filter(({ state }) => state === 'ready').length.toLocaleString('en')} of ${running.length.toLocaleString('en')} ready`
}
