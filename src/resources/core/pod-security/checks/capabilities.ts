import type { Container } from '../../../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../../../lib/steps.ts'
import type { CheckedPod, PodCheck } from '../check.ts'
import { containersText, quoteItems, sortValues } from '../words.ts'

/** Capabilities that container runtimes grant by default. */
const DEFAULTS: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

const RESTRICTED: ReadonlySet<string> = new Set(['NET_BIND_SERVICE'])

/**
 * Describes the containers that add capabilities other than `allowed`, and those capabilities. Undefined if there are
 * none.
 */
function* added({ containers }: CheckedPod, allowed: ReadonlySet<string>): Steps<string | undefined> {
  const names: string[] = []
  const found = new Set<string>()
  for (const container of containers) {
    let isBad = false
    for (const capability of container.securityContext?.capabilities?.add ?? []) {
      if (isStepDone()) yield
      if (allowed.has(capability)) continue
      isBad = true
      found.add(capability)
    }
    if (isBad) names.push(container.name)
  }
  if (names.length === 0) return undefined
  return `${containersText(names)} must not include ${quoteItems(yield* sortValues(found))} in securityContext.capabilities.add`
}

/** Baseline: containers add no capabilities beyond the runtime's defaults. */
export const capabilitiesBaseline: PodCheck = function* (pod) {
  const detail = yield* added(pod, DEFAULTS)
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail }
}

const dropsAll = ({ securityContext }: Container): boolean => securityContext?.capabilities?.drop?.includes('ALL') === true

/** Restricted since 1.22: containers drop ALL and add at most NET_BIND_SERVICE. */
export const capabilitiesRestricted: PodCheck = function* (pod) {
  const keeping: string[] = []
  for (const container of pod.containers) {
    if (!dropsAll(container)) keeping.push(container.name)
    if (isStepDone()) yield
  }
  const adding = yield* added(pod, RESTRICTED)
  if (keeping.length === 0 && adding === undefined) return undefined
  const details = keeping.length === 0 ? [] : [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
  return { reason: 'unrestricted capabilities', detail: [...details, ...(adding === undefined ? [] : [adding])].join('; ') }
}
