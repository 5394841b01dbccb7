import type { Container, PodSpec, ServiceAccount, Volume } from '../../../api/core/v1.types.ts'
import { allContainers } from '../pod-spec/visit.ts'

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets'
/** Values that Go's strconv.ParseBool parses as true. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** Reports whether pods of the account may refer only to secrets that it lists. */
export const limitsSecrets = ({ metadata }: ServiceAccount): boolean => TRUE.has(metadata.annotations?.[ENFORCE] ?? '')

/** Returns the first secret that a new pod refers to and its account does not list, or undefined. */
export function forbiddenSecret(account: ServiceAccount, spec: PodSpec): string | undefined {
  const name = account.metadata.name ?? ''
  const mountable = referenceNames(account.secrets)
  const volume = (spec.volumes ?? []).find(({ secret }) => secret && !mountable.has(secret.secretName ?? ''))
  if (volume)
    return `volume with secret.secretName="${volume.secret?.secretName ?? ''}" is not allowed because service account ${name} does not reference that secret`
  const ofContainers =
    forbiddenIn('init container', spec.initContainers ?? [], mountable, name) ??
    forbiddenIn('container', spec.containers ?? [], mountable, name)
  if (ofContainers !== undefined) return ofContainers
  const pullable = referenceNames(account.imagePullSecrets)
  const i = (spec.imagePullSecrets ?? []).findIndex(reference => !pullable.has(reference.name ?? ''))
  if (i < 0) return undefined
  return `imagePullSecrets[${i}].name="${spec.imagePullSecrets?.[i]?.name ?? ''}" is not allowed because service account ${name} does not reference that imagePullSecret`
}

/** Returns the first such secret of the ephemeral containers of a running pod. */
export const forbiddenEphemeralSecret = (account: ServiceAccount, spec: PodSpec): string | undefined =>
  forbiddenIn('ephemeral container', spec.ephemeralContainers ?? [], referenceNames(account.secrets), account.metadata.name ?? '')

const referenceNames = (references: readonly { readonly name?: string }[] = []): ReadonlySet<string> =>
  new Set(references.map(({ name = '' }) => name))

/**
 * Returns the message for the first secret that the environment of a container refers to and that is not in
 * `mountable`.
 */
function forbiddenIn(what: string, containers: readonly Container[], mountable: ReadonlySet<string>, account: string): string | undefined {
  const refusal = (container: string, where: string, secret: string): string =>
    `${what} ${container} with ${where} referencing secret.secretName="${secret}" is not allowed because service account ${account} does not reference that secret`
  for (const { name, env = [], envFrom = [] } of containers) {
    const variable = env?.find(({ valueFrom }) => valueFrom?.secretKeyRef && !mountable.has(valueFrom.secretKeyRef.name ?? ''))
    if (variable) return refusal(name, `envVar ${variable.name}`, variable.valueFrom?.secretKeyRef?.name ?? '')
    const source = envFrom?.find(({ secretRef }) => secretRef && !mountable.has(secretRef.name ?? ''))
    if (source) return refusal(name, 'envFrom', source.secretRef?.name ?? '')
  }
  return undefined
}

/**
 * Reports whether the pod refers to any secret by name. Source: VisitPodSecretNames of pkg/api/pod in
 * k8s.io/kubernetes.
 */
export const refersToSecrets = (spec: PodSpec): boolean =>
  (spec.imagePullSecrets ?? []).length > 0 || allContainers(spec).some(readsSecret) || (spec.volumes ?? []).some(isOfSecret)

const readsSecret = ({ env = [], envFrom = [] }: Container): boolean =>
  (env ?? []).some(({ valueFrom }) => valueFrom?.secretKeyRef) || (envFrom ?? []).some(({ secretRef }) => secretRef)

const isOfSecret = (volume: Volume): boolean =>
  [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef,
    volume.cinder?.secretRef,
    volume.flexVolume?.secretRef,
    volume.rbd?.secretRef,
    volume.scaleIO?.secretRef,
    volume.iscsi?.secretRef,
    volume.storageos?.secretRef,
    volume.csi?.nodePublishSecretRef,
    ...(volume.projected?.sources ?? []).map(source => source.secret),
  ].some(Boolean)

/** Reports whether the pod has a volume with a token of its account. */
export const projectsToken = (spec: PodSpec): boolean =>
  (spec.volumes ?? []).some(({ projected }) => projected?.sources?.some(source => source.serviceAccountToken) ?? false)
