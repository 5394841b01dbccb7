import type { Container, PodSpec, ServiceAccount, Volume } from '../v1.types.ts'

const PREFIX = 'kube-api-access-'
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
/** By which clients know that the token is refreshed: an hour and seven seconds. */
const EXPIRATION_SECONDS = 3607
/** 0644. */
const FILE_MODE = 420

/** Whether the pod gets a token: as it says, else as its account says, else yes. */
export const wantsToken = (account: ServiceAccount, spec: PodSpec): boolean => spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true

/**
 * Mounts a volume with a token of the account, the certificate authority and the namespace into every container that has nothing at its path. A volume that has its name already, as a
 * pod that is created anew from another has, is used again.
 * @param suffix five characters for the volume's name.
 */
export function mountToken(spec: PodSpec, suffix: () => string): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(PREFIX))
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(hasNoMount)
  if (containers.length === 0) return
  const name = existing?.name ?? `${PREFIX}${suffix()}`
  for (const container of containers) container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: MOUNT_PATH }]
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
