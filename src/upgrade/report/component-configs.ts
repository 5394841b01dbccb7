import { type JsonObject, objectIn } from '../../api/meta/object.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import { objectsIn } from '../../meta/json-members.ts'
import type { KindName } from '../versions/old-versions.ts'

/** Lifecycle of a version of a configuration. */
interface ConfigurationLife {
  /** First release that does not read it. */
  readonly gone?: Release
  /** First release in which it is deprecated. */
  readonly deprecated?: Release
  /** Replacement, as an instruction for the user. */
  readonly advice: string
}

/** Advice for all versions of kubeadm's configuration. */
const KUBEADM =
  'kubeadm config migrate --old-config OLD --new-config NEW, with a kubeadm that reads both, writes kubeadm.k8s.io/v1beta4 (v1beta3 before 1.31)'

/**
 * Lifecycles by apiVersion, followed by the kind if only that is removed. Sources: schemes and messages of kubeadm,
 * kube-scheduler, kube-apiserver and client-go at a tag of each release.
 */
const LIVES: Readonly<Record<string, ConfigurationLife>> = {
  'kubeadm.k8s.io/v1alpha3': { gone: '1.15', deprecated: '1.13', advice: KUBEADM },
  'kubeadm.k8s.io/v1beta1': { gone: '1.22', deprecated: '1.17', advice: KUBEADM },
  'kubeadm.k8s.io/v1beta2': { gone: '1.27', deprecated: '1.22', advice: KUBEADM },
  'kubeadm.k8s.io/v1beta3': { deprecated: '1.31', advice: KUBEADM },
  'kubescheduler.config.k8s.io/v1alpha1': { gone: '1.19', advice: 'use kubescheduler.config.k8s.io/v1' },
  'kubescheduler.config.k8s.io/v1alpha2': { gone: '1.19', advice: 'use kubescheduler.config.k8s.io/v1' },
  'kubescheduler.config.k8s.io/v1beta1': { gone: '1.23', deprecated: '1.22', advice: 'use kubescheduler.config.k8s.io/v1' },
  'kubescheduler.config.k8s.io/v1beta2': { gone: '1.28', deprecated: '1.25', advice: 'use kubescheduler.config.k8s.io/v1' },
  'kubescheduler.config.k8s.io/v1beta3': { gone: '1.29', deprecated: '1.26', advice: 'use kubescheduler.config.k8s.io/v1' },
  'audit.k8s.io/v1alpha1': { gone: '1.24', deprecated: '1.13', advice: 'use audit.k8s.io/v1' },
  'audit.k8s.io/v1beta1': { gone: '1.24', deprecated: '1.13', advice: 'use audit.k8s.io/v1' },
  'apiserver.config.k8s.io/v1alpha1 WebhookAdmission': {
    gone: '1.36',
    deprecated: '1.17',
    advice: 'use apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration',
  },
}

/** A deprecated or removed configuration. */
export interface ConfigurationFault {
  readonly rule: 'removed-config' | 'deprecated-config'
  readonly message: string
  readonly advice: string
  /** Release in which the fault takes effect, at or before the target release. */
  readonly since: Release
}

/** Returns the faults of a component's configuration, or of a kubeconfig, in a release. */
export function configurationFaults(object: JsonObject, { apiVersion, kind }: KindName, to: Release): ConfigurationFault[] {
  if (apiVersion === 'v1' && kind === 'Config') return credentialFaults(object, to)
  const life = LIVES[apiVersion] ?? LIVES[`${apiVersion} ${kind}`]
  if (life === undefined) return []
  const { gone, deprecated, advice } = life
  if (gone !== undefined && isSince(to, gone))
    return [{ rule: 'removed-config', message: `${apiVersion} ${kind} is not read from ${gone} on`, advice, since: gone }]
  if (deprecated === undefined || !isSince(to, deprecated)) return []
  const end = gone === undefined ? '' : `, and not read from ${gone} on`
  return [
    { rule: 'deprecated-config', message: `${apiVersion} ${kind} is deprecated since ${deprecated}${end}`, advice, since: deprecated },
  ]
}

/**
 * Checks the users of a kubeconfig for credential plugin versions and auth providers that client-go of a release lacks.
 */
function credentialFaults(object: JsonObject, to: Release): ConfigurationFault[] {
  return objectsIn(object.users).flatMap(({ user }, i): ConfigurationFault[] => {
    const { exec, 'auth-provider': provider } = objectIn(user)
    const { name } = objectIn(provider)
    const version = objectIn(exec).apiVersion
    if (version === 'client.authentication.k8s.io/v1alpha1' && isSince(to, '1.24'))
      return [
        gone(`users[${i}].user.exec.apiVersion: clients of ${to} do not read ${version}`, 'use client.authentication.k8s.io/v1', '1.24'),
      ]
    if ((name === 'gcp' || name === 'azure') && isSince(to, '1.26'))
      return [
        gone(`users[${i}].user.auth-provider: clients of ${to} have no provider ${name}`, 'use the exec plugin of the provider', '1.26'),
      ]
    return []
  })
}

const gone = (message: string, advice: string, since: Release): ConfigurationFault => ({ rule: 'removed-config', message, advice, since })
