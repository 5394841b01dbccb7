import { isStepDone } from '../../../../lib/steps.ts'
import { ownMember } from '../../../../meta/equal.ts'
import type { PodCheck } from '../check.ts'

/** Sysctls that affect only the pod, by the first minor version of the standard that allows them. */
const ALLOWED: Readonly<Record<string, number>> = {
  'kernel.shm_rmid_forced': 0,
  'net.ipv4.ip_local_port_range': 0,
  'net.ipv4.ip_unprivileged_port_start': 0,
  'net.ipv4.ping_group_range': 0,
  'net.ipv4.tcp_syncookies': 0,
  'net.ipv4.ip_local_reserved_ports': 27,
  'net.ipv4.tcp_fin_timeout': 29,
  'net.ipv4.tcp_keepalive_intvl': 29,
  'net.ipv4.tcp_keepalive_probes': 29,
  'net.ipv4.tcp_keepalive_time': 29,
  'net.ipv4.tcp_rmem': 32,
  'net.ipv4.tcp_wmem': 32,
  'net.ipv4.tcp_notsent_lowat': 37,
  'net.ipv4.tcp_slow_start_after_idle': 37,
}

const NEVER = Number.POSITIVE_INFINITY

/** Baseline: pods set only sysctls that do not affect other pods on the node. */
export const sysctls = (minor: number): PodCheck =>
  function* ({ spec }) {
    const names: string[] = []
    for (const { name } of spec.securityContext?.sysctls ?? []) {
      if ((ownMember(ALLOWED, name) ?? NEVER) > minor) names.push(name)
      if (isStepDone()) yield
    }
    return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') }
  }
