import { isStepDone, type Steps } from '../../../../lib/steps.ts'
import type { Container } from '../../v1.types.ts'
import type { CheckedPod, PodCheck } from '../check.ts'
import { containersText, inOrder, quoted } from '../words.ts'

/** What container runtimes give by default. */
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

/** Names of the containers that add others than these, and what they add: undefined where none does. */
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
  return `${containersText(names)} must not include ${quoted(yield* inOrder(found))} in securityContext.capabilities.add`
}

/** Baseline: containers get no capabilities beyond those that runtimes give by default. */
export const capabilitiesBaseline: PodCheck = function* (pod) {
  const detail = yield* added(pod, DEFAULTS)
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail }
}

const dropsAll = ({ securityContext }: Container): boolean => securityContext?.capabilities?.drop?.includes('ALL') === true

/** Restricted since 1.22: containers drop all capabilities and add NET_BIND_SERVICE at the most. */
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
