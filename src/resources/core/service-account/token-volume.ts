import type { Container, PodSpec, ServiceAccount, Volume } from '../../../api/core/v1.types.ts'

const PREFIX = 'kube-api-access-'
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
/** Lifetime by which clients recognize that the token is refreshed: one hour and seven seconds. */
const EXPIRATION_SECONDS = 3607
/** 0644. */
const FILE_MODE = 420

/** Reports whether the pod gets a token. The pod's setting takes precedence over that of its account. Default: true. */
export const wantsToken = (account: ServiceAccount, spec: PodSpec): boolean =>
  spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true

/**
 * Mounts a volume with a token of the account, the certificate authority and the namespace into every container that
 * has no mount at its path. An existing volume with the name prefix is reused: a copied pod brings one along.
 * @param suffix returns five characters for the name of the volume.
 */
export function mountToken(spec: PodSpec, suffix: () => string): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(PREFIX))
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(hasNoMount)
  if (containers.length === 0) return
  const name = existing?.name ?? `${PREFIX}${suffix()}`
  for (const container of containers)
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: MOUNT_PATH }]
  if (!existing) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)]
}

const hasNoMount = ({ volumeMounts = [] }: Container): boolean => volumeMounts?.every(({ mountPath }) => mountPath !== MOUNT_PATH) ?? true

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: EXPIRATION_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: FILE_MODE,
  },
})
