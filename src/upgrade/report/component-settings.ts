import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { objectsIn, textsIn } from '../../meta/json-members.ts'
import { readDocuments, SourceError } from '../source/nodes.ts'
import type { KindName } from '../versions/old-versions.ts'
import { type Component, isComponent } from './component-flags.ts'

/** Gates and flags of a component in a manifest or on a command line. */
export interface Settings {
  readonly component: Component
  readonly gates: readonly (readonly [name: string, value: string])[]
  /** Flags by name, without leading dashes and with dashes for `_`. */
  readonly flags: ReadonlyMap<string, string>
}

/** Parses `--feature-gates`: `A=true,B=false`, each with an optional component (`kube:A=true`). */
export const gatePairs = (text: string): (readonly [string, string])[] =>
  text
    .split(',')
    .filter(each => each.trim() !== '')
    .map(each => {
      const [name = '', value = 'true'] = each.trim().split('=')
      return [name.slice(name.indexOf(':') + 1), value] as const
    })

/**
 * Returns the settings of components that an object runs or configures: pods (including static ones) and pod templates,
 * kubeadm's configurations and those of components.
 */
export function settingsOf(object: JsonObject, { apiVersion, kind }: KindName): Settings[] {
  if (apiVersion.startsWith('kubeadm.k8s.io/')) return kubeadmSettings(object)
  // In kind's clusters the gates apply to every component.
  if (isOfKind(apiVersion))
    return [{ component: 'kube-apiserver', gates: gateMap(object.featureGates), flags: new Map(runtimeConfig(object)) }]
  const component = CONFIGURED[`${apiVersion.slice(0, apiVersion.indexOf('/'))} ${kind}`]
  if (component !== undefined)
    return [{ component, gates: gateMap(object.featureGates), flags: new Map(configuredFlags(component, object)) }]
  return containersOf(object).flatMap(containerSettings)
}

/** Reports whether an object is the configuration of a kind cluster. */
const isOfKind = (apiVersion: string): boolean => /^kind\.(?:x-k8s|sigs\.k8s)\.io\//.test(apiVersion)

const CONFIGURED: Readonly<Record<string, Component>> = {
  'kubelet.config.k8s.io KubeletConfiguration': 'kubelet',
  'kubeproxy.config.k8s.io KubeProxyConfiguration': 'kube-proxy',
  'kubescheduler.config.k8s.io KubeSchedulerConfiguration': 'kube-scheduler',
}

/** Returns the flags that are equivalent to members of a configuration. */
const configuredFlags = (component: Component, { mode }: JsonObject): [string, string][] =>
  component === 'kube-proxy' && typeof mode === 'string' ? [['proxy-mode', mode]] : []

/** A configuration that is contained in another object. */
export interface HeldConfiguration extends KindName {
  /** Path such as `data[config.conf]`. */
  readonly path: string
  readonly value: JsonObject
}

/**
 * Returns configurations that an object contains as text: those of kubeadm in ConfigMaps, and patches of them for kind
 * clusters. Other texts are skipped.
 */
export const heldConfigurations = (object: JsonObject, name: KindName): HeldConfiguration[] =>
  settingTexts(object, name).flatMap(([path, text]) =>
    typeof text === 'string' && /^["']?kind["']?: *["']?\w+Configuration\b/m.test(text)
      ? documentsIn(text).flatMap(value => configurationAt(path, value))
      : [],
  )

function settingTexts(object: JsonObject, { apiVersion, kind }: KindName): (readonly [path: string, text: Json])[] {
  if (apiVersion === 'v1' && kind === 'ConfigMap') return Object.entries(objectIn(object.data)).map(([key, text]) => [`data[${key}]`, text])
  if (!isOfKind(apiVersion)) return []
  return [['', object] as const, ...objectsIn(object.nodes).map((node, i) => [`nodes[${i}].`, node] as const)].flatMap(
    ([path, { kubeadmConfigPatches: patches }]) => textsIn(patches).map((text, i) => [`${path}kubeadmConfigPatches[${i}]`, text] as const),
  )
}

/** A patch may omit the version. */
function configurationAt(path: string, value: Json): HeldConfiguration[] {
  if (!isJsonObject(value)) return []
  const { apiVersion = 'kubeadm.k8s.io/', kind } = value
  return typeof apiVersion === 'string' && typeof kind === 'string' ? [{ path, value, apiVersion, kind }] : []
}

function documentsIn(text: string): Json[] {
  try {
    return readDocuments(text).map(({ value }) => value)
  } catch (error) {
    if (error instanceof SourceError) return []
    throw error
  }
}

const runtimeConfig = ({ runtimeConfig: map }: JsonObject): [string, string][] =>
  isJsonObject(map)
    ? [
        [
          'runtime-config',
          Object.entries(map)
            .map(([key, value]) => `${key}=${String(value)}`)
            .join(),
        ],
      ]
    : []

const gateMap = (value: Json | undefined): [string, string][] =>
  isJsonObject(value) ? Object.entries(value).map(([name, on]) => [name, String(on)]) : []

function kubeadmSettings(object: JsonObject): Settings[] {
  const parts = {
    'kube-apiserver': object.apiServer,
    'kube-controller-manager': object.controllerManager,
    'kube-scheduler': object.scheduler,
  } as const
  return [
    ...Object.entries(parts).flatMap(([component, part]) =>
      isComponent(component) ? extraArguments(component, objectIn(part).extraArgs) : [],
    ),
    ...extraArguments('kubelet', objectIn(object.nodeRegistration).kubeletExtraArgs),
  ]
}

/** Reads extra arguments: a map up to v1beta3, a list of names and values since v1beta4. */
function extraArguments(component: Component, value: Json | undefined): Settings[] {
  const pairs = isJsonObject(value)
    ? Object.entries(value).map(([name, text]) => [name, String(text)] as const)
    : objectsIn(value).map(({ name, value: text }) => [String(name), String(text)] as const)
  return pairs.length === 0 ? [] : [settings(component, new Map(pairs))]
}

const settings = (component: Component, flags: ReadonlyMap<string, string>): Settings => ({
  component,
  gates: gatePairs(flags.get('feature-gates') ?? ''),
  flags,
})

/** Returns the containers of a pod or of a pod template. */
function containersOf(object: JsonObject): JsonObject[] {
  const spec = objectIn(object.spec)
  const template = isJsonObject(spec.template) && isJsonObject(spec.template.spec) ? spec.template.spec : spec
  return [...objectsIn(template.containers), ...objectsIn(template.initContainers)]
}

/**
 * Returns the settings of a container. The component may be started by another program (`/go-runner …`) or in a shell
 * command.
 */
function containerSettings({ command, args }: JsonObject): Settings[] {
  const words = [command, args].flatMap(each => (Array.isArray(each) ? each.map(String) : [])).flatMap(wordsOfShell)
  const at = words.findIndex(word => isComponent(baseName(word)))
  const component = baseName(words[at] ?? '')
  if (!isComponent(component)) return []
  const flags = new Map<string, string>()
  for (const [i, word] of words.entries()) {
    const [, name, value] = i > at ? (/^--?([A-Za-z][^=]*)(?:=(.*))?$/s.exec(word) ?? []) : []
    const next = words[i + 1]
    if (name !== undefined) flags.set(name.replaceAll('_', '-'), value ?? (next?.startsWith('-') === false ? next : 'true'))
  }
  return [settings(component, flags)]
}

const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

/** Splits a shell command into words, if it runs a component. */
const wordsOfShell = (word: string): string[] => {
  const words = word.trim().split(/\s+/)
  return words.length > 1 && words.some(each => isComponent(baseName(each))) ? words.map(each => each.replace(/["']/g, '')) : [word]
}
