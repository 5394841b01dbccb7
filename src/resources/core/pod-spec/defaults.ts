import type {
  Container,
  DownwardAPIVolumeFile,
  HTTPGetAction,
  PodSpec,
  PodTemplateSpec,
  Probe,
  Volume,
} from '../../../api/core/v1.types.ts'
import type { ObjectMeta } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isWide } from '../../../lib/wide-objects.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isGivenEmpty, setGivenEmpty } from '../../../meta/empty-members.ts'
import { roundResources, roundResourcesInSteps } from '../resource-list.ts'
import { defaultSources } from '../volume/source-defaults.ts'
import { containersAndInit } from './visit.ts'

/** Number of sources of a volume: every member but its name is one. */
const sourceCount = (volume: Volume): number => Object.keys(volume).length - (Object.hasOwn(volume, 'name') ? 1 : 0)

/** Sets the defaults of a PodTemplateSpec, in place. Returns the steps that are left if lists of resources are wide. */
export function defaultPodTemplate(template: PodTemplateSpec): Steps<void> | undefined {
  dropInitContainerAnnotations(template.metadata)
  return defaultPodSpec(template.spec)
}

/** Sets host ports to the container ports, for a pod on the host's network. */
export function defaultHostPorts(spec: PodSpec): void {
  for (const container of containersAndInit(spec)) for (const port of container.ports ?? []) port.hostPort ||= port.containerPort
}

/** Sets host ports in a template. Releases before 1.28 always do so, later ones only while the gate is on. */
export function defaultTemplateHostPorts({ spec }: PodTemplateSpec, features: Features): void {
  if (!spec.hostNetwork) return
  if (!isSince(features.release, '1.28') || features.enabled('DefaultHostNetworkHostPortsInPodTemplates')) defaultHostPorts(spec)
}

/**
 * Sets the defaults of a PodSpec that the markers of its types cannot express, in place. Idempotent. Returns the steps
 * that are left if lists of resources are wide.
 */
export function defaultPodSpec(spec: PodSpec): Steps<void> | undefined {
  const wide: Record<string, string>[] = []
  spec.dnsPolicy ||= 'ClusterFirst'
  spec.restartPolicy ||= 'Always'
  // Upstream's internal type keeps hostNetwork in the security context, which therefore always exists.
  spec.securityContext ??= {}
  spec.terminationGracePeriodSeconds ??= 30
  spec.schedulerName ||= 'default-scheduler'
  mirrorServiceAccount(spec)
  roundUnlessWide(spec.overhead, wide)
  for (const volume of spec.volumes ?? []) defaultVolume(volume)
  for (const container of containersAndInit(spec)) defaultContainer(container, wide)
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container, wide)
  return wide.length > 0 ? roundAll(wide) : undefined
}

/** Rounds quantities, or adds the list to those that are rounded in steps. */
function roundUnlessWide(list: Record<string, string> | undefined, later: Record<string, string>[]): void {
  if (list && isWide(list)) later.push(list)
  else roundResources(list)
}

function* roundAll(lists: readonly Record<string, string>[]): Steps<void> {
  for (const list of lists) yield* roundResourcesInSteps(list)
}

/** Keeps `serviceAccount`, the former name of `serviceAccountName`, equal to it. */
function mirrorServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount
  if (!name) return
  spec.serviceAccountName = name
  spec.serviceAccount = name
}

const OLD_INIT_ANNOTATIONS = ['init-containers', 'init-container-statuses'].flatMap(name => [
  `pod.beta.kubernetes.io/${name}`,
  `pod.alpha.kubernetes.io/${name}`,
])

/** Removes annotations from the time when init containers had no field. */
export function dropInitContainerAnnotations(metadata: ObjectMeta): void {
  const { annotations } = metadata
  if (!annotations) return
  for (const key of OLD_INIT_ANNOTATIONS) delete annotations[key]
  if (!isWide(annotations) && Object.keys(annotations).length === 0) delete metadata.annotations
}

/** An image without tag or digest counts as `latest`. Quantities of resources are rounded up to thousandths. */
function defaultContainer(container: Container, wide: Record<string, string>[]): void {
  container.imagePullPolicy ||= isLatest(container.image ?? '') ? 'Always' : 'IfNotPresent'
  container.terminationMessagePath ||= '/dev/termination-log'
  container.terminationMessagePolicy ||= 'File'
  // Requests are created if there are limits, even if both are empty.
  if (isGivenEmpty(container.resources, 'limits') && container.resources.requests === undefined)
    setGivenEmpty(container.resources, 'requests', {})
  roundUnlessWide(container.resources.limits, wide)
  roundUnlessWide(container.resources.requests, wide)
  for (const port of container.ports ?? []) port.protocol ||= 'TCP'
  for (const variable of container.env ?? []) if (variable.valueFrom?.fieldRef) variable.valueFrom.fieldRef.apiVersion ||= 'v1'
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) if (probe) defaultProbe(probe)
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop])
    if (handler?.httpGet) defaultHttpGet(handler.httpGet)
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ||= 1
  probe.periodSeconds ||= 10
  probe.successThreshold ||= 1
  probe.failureThreshold ||= 3
  if (probe.httpGet) defaultHttpGet(probe.httpGet)
  if (probe.grpc) probe.grpc.service ??= ''
}

function defaultHttpGet(action: HTTPGetAction): void {
  action.path ||= '/'
  action.scheme ||= 'HTTP'
}

/**
 * Reports whether an image reference has the tag `latest`, explicitly or for lack of a tag and digest. Returns false
 * for a malformed reference.
 */
export function isLatest(image: string): boolean {
  const parsed = REFERENCE.exec(image)
  if (!parsed) return false
  const [, name = '', tag, digest] = parsed
  if (repositoryOf(name).length > LONGEST_REPOSITORY) return false
  return tag === 'latest' || (tag === undefined && digest === undefined)
}

const LONGEST_REPOSITORY = 255

/**
 * Returns the repository without its domain. The folder `library` is added if a reference has neither domain nor
 * folder.
 */
function repositoryOf(name: string): string {
  const [first = '', ...rest] = name.split('/')
  if (rest.length === 0) return `library/${name}`
  return /[.:A-Z]/.test(first) || first === 'localhost' ? rest.join('/') : name
}

const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const DOMAIN = `(?:${DOMAIN_PART}(?:\\.${DOMAIN_PART})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`
const NAME_PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
/** The grammar of https://github.com/distribution/reference. */
const REFERENCE = new RegExp(
  `^((?:${DOMAIN}/)?${NAME_PART}(?:/${NAME_PART})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
)

/** A volume without a source is an emptyDir. Modes are decimal in JSON: 0o644 is 420. */
function defaultVolume(volume: Volume): void {
  if (sourceCount(volume) === 0) volume.emptyDir = {}
  if (volume.hostPath) volume.hostPath.type ??= ''
  defaultSources(volume)
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) if (source) source.defaultMode ??= 0o644
  for (const file of volume.downwardAPI?.items ?? []) defaultFile(file)
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600
    for (const file of source.downwardAPI?.items ?? []) defaultFile(file)
  }
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec
  if (claim) {
    claim.volumeMode ??= 'Filesystem'
    roundResources(claim.resources.limits)
    roundResources(claim.resources.requests)
  }
}

function defaultFile(file: DownwardAPIVolumeFile): void {
  if (file.fieldRef) file.fieldRef.apiVersion ||= 'v1'
}
