import type { SELinuxOptions } from '../../../../api/core/v1.types.ts'
import { isSince } from '../../../../lifecycle/release.ts'
import { ownMember } from '../../../../meta/equal.ts'
import { contextsOf, type PodCheck } from '../check.ts'
import { plural, quoteItems, settersOf, sortValues } from '../words.ts'

/** SELinux types that are allowed, by the first minor version of the standard that allows them. */
const TYPES: Readonly<Record<string, number>> = { '': 0, container_t: 0, container_init_t: 0, container_kvm_t: 0, container_engine_t: 31 }

const NEVER = Number.POSITIVE_INFINITY

/** Baseline: the SELinux type is one for containers, and user and role are unset. */
export const seLinuxOptions = (minor: number): PodCheck =>
  function* (pod, { release }) {
    const isBadType = ({ type = '' }: SELinuxOptions): boolean => (ownMember(TYPES, type) ?? NEVER) > minor
    const isBad = (options: SELinuxOptions | undefined): options is SELinuxOptions =>
      options !== undefined && (isBadType(options) || isSet(options.user) || isSet(options.role))
    const setters = settersOf(pod, ({ seLinuxOptions }) => isBad(seLinuxOptions))
    if (setters.length === 0) return undefined
    const bad = contextsOf(pod)
      .map(({ seLinuxOptions }) => seLinuxOptions)
      .filter(isBad)
    const types = yield* sortValues(new Set(bad.filter(isBadType).map(({ type = '' }) => type)))
    // Releases before 1.26 do not mention users and roles if all types are allowed.
    const mentionsAll = types.length > 0 || isSince(release, '1.26')
    const data = [
      ...(types.length > 0 ? [`${plural(types.length, 'type', 'types')} ${quoteItems(types)}`] : []),
      ...(mentionsAll && bad.some(({ user }) => isSet(user)) ? ['user may not be set'] : []),
      ...(mentionsAll && bad.some(({ role }) => isSet(role)) ? ['role may not be set'] : []),
    ]
    return { reason: 'seLinuxOptions', detail: `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}` }
  }

const isSet = (text: string | undefined): boolean => text !== undefined && text !== ''
