import type { Container, PodSpec, Volume } from '../../../api/core/v1.types.ts'
import { allContainers } from './visit.ts'

const presentNames = (names: readonly (string | undefined)[]): string[] =>
  names.filter((name): name is string => name !== undefined && name !== '')

const secretsOfContainer = ({ env, envFrom }: Container): (string | undefined)[] => [
  ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
  ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
]

const secretsOfVolume = (volume: Volume): (string | undefined)[] => [
  volume.azureFile?.secretName,
  volume.cephfs?.secretRef?.name,
  volume.cinder?.secretRef?.name,
  volume.flexVolume?.secretRef?.name,
  ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
  volume.rbd?.secretRef?.name,
  volume.secret?.secretName,
  volume.scaleIO?.secretRef?.name,
  volume.iscsi?.secretRef?.name,
  volume.storageos?.secretRef?.name,
  volume.csi?.nodePublishSecretRef?.name,
]

/** Returns all secrets that a pod refers to. Source: VisitPodSecretNames of pkg/api/v1/pod in k8s.io/kubernetes. */
export const secretNames = (spec: PodSpec): string[] =>
  presentNames([
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...allContainers(spec).flatMap(secretsOfContainer),
    ...(spec.volumes ?? []).flatMap(secretsOfVolume),
  ])

const configMapsOfContainer = ({ env, envFrom }: Container): (string | undefined)[] => [
  ...(envFrom ?? []).map(({ configMapRef }) => configMapRef?.name),
  ...(env ?? []).map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
]

/** Returns all config maps that a pod refers to. Source: VisitPodConfigmapNames in the same package. */
export const configMapNames = (spec: PodSpec): string[] =>
  presentNames([
    ...allContainers(spec).flatMap(configMapsOfContainer),
    ...(spec.volumes ?? []).flatMap(({ projected, configMap }) => [
      ...(projected?.sources ?? []).map(source => source.configMap?.name),
      configMap?.name,
    ]),
  ])

/**
 * Returns the name of a volume's claim, which it names or which is created for the pod. Undefined for other volumes.
 */
export const claimOf = (podName: string, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined =>
  persistentVolumeClaim ? persistentVolumeClaim.claimName : ephemeral ? `${podName}-${name}` : undefined
