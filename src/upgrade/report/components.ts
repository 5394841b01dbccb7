import { isPluginName, isPluginOf } from '../../admission/plugin-names.ts'
import { FLAGS } from '../../config/flag-table.ts'
import { gatesOf, STAGE_GATES } from '../../lifecycle/feature-gates.ts'
import { LIFECYCLES } from '../../lifecycle/kinds.ts'
import { compareReleases, DEFAULT_RELEASE, type Release } from '../../lifecycle/release.ts'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../meta/object.ts'
import { objectsIn } from '../json-members.ts'
import { type KindName, standingIn } from '../versions/old-versions.ts'
import type { Upgrade } from './examine-object.ts'
import type { Finding, Place } from './finding.ts'

/** Gates and flags of one component, as a manifest or a command line gives them. */
interface Settings {
  /** `kube-apiserver`, `kubelet` … */
  readonly component: string
  readonly gates: readonly (readonly [name: string, value: string])[]
  /** By name without dashes. */
  readonly flags: ReadonlyMap<string, string>
}

const COMPONENTS = new Set(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'cloud-controller-manager'])

/** Gates as `--feature-gates` takes them: `A=true,B=false`, each with or without the component (`kube:A=true`). */
export const gatePairs = (text: string): (readonly [string, string])[] =>
  text
    .split(',')
    .filter(each => each.trim() !== '')
    .map(each => {
      const [name = '', value = 'true'] = each.trim().split('=')
      return [name.slice(name.indexOf(':') + 1), value] as const
    })

/** Gates and flags of components that an object runs or configures: pods (static ones are no others), kubeadm's and components' configurations. */
export function componentFindings(object: JsonObject, kind: KindName, place: Place, label: string, upgrade: Upgrade): Finding[] {
  return [
    ...settingsOf(object, kind).flatMap(settings => settingFindings(settings, place, `${label}: ${settings.component}`, upgrade)),
    ...configurationFindings(kind, place, label, upgrade.to),
  ]
}

/** Those of `--gates` of our own command line. */
export const givenGateFindings = (text: string, upgrade: Upgrade): Finding[] => gateFindings(gatePairs(text), { source: '--gates' }, '--feature-gates', upgrade)

function settingsOf(object: JsonObject, { apiVersion, kind }: KindName): Settings[] {
  if (apiVersion.startsWith('kubeadm.k8s.io/')) return kubeadmSettings(object)
  if (/^(?:kubelet|kubeproxy|kubescheduler)\.config\.k8s\.io\//.test(apiVersion))
    return [{ component: kind, gates: gateMap(object.featureGates), flags: new Map() }]
  return containersOf(object).flatMap(containerSettings)
}

const gateMap = (value: Json | undefined): [string, string][] => (isJsonObject(value) ? Object.entries(value).map(([name, on]) => [name, String(on)]) : [])

function kubeadmSettings(object: JsonObject): Settings[] {
  const parts = { 'kube-apiserver': object.apiServer, 'kube-controller-manager': object.controllerManager, 'kube-scheduler': object.scheduler }
  const registration = isJsonObject(object.nodeRegistration) ? object.nodeRegistration.kubeletExtraArgs : undefined
  return [
    ...Object.entries(parts).flatMap(([component, part]) => (isJsonObject(part) ? extraArguments(component, part.extraArgs) : [])),
    ...extraArguments('kubelet', registration),
  ]
}

/** A map up to v1beta3, a list of names and values from v1beta4 on. */
function extraArguments(component: string, value: Json | undefined): Settings[] {
  const pairs = isJsonObject(value)
    ? Object.entries(value).map(([name, text]) => [name, String(text)] as const)
    : objectsIn(value).map(({ name, value: text }) => [String(name), String(text)] as const)
  return pairs.length === 0 ? [] : [settings(component, new Map(pairs))]
}

const settings = (component: string, flags: ReadonlyMap<string, string>): Settings => ({ component, gates: gatePairs(flags.get('feature-gates') ?? ''), flags })

/** Of a pod, or of any template of pods. */
function containersOf(object: JsonObject): JsonObject[] {
  const spec = objectIn(object.spec)
  const template = isJsonObject(spec.template) && isJsonObject(spec.template.spec) ? spec.template.spec : spec
  return [...objectsIn(template.containers), ...objectsIn(template.initContainers)]
}

function containerSettings({ command, args }: JsonObject): Settings[] {
  const words = [command, args].flatMap(each => (Array.isArray(each) ? each.map(String) : []))
  const component = words[0]?.split('/').at(-1) ?? ''
  if (!COMPONENTS.has(component)) return []
  const flags = new Map<string, string>()
  for (const [i, word] of words.entries()) {
    const [, name, value] = /^--?([A-Za-z][^=]*)(?:=(.*))?$/s.exec(word) ?? []
    const next = words[i + 1]
    if (name !== undefined) flags.set(name.replaceAll('_', '-'), value ?? (next?.startsWith('-') === false ? next : 'true'))
  }
  return [settings(component, flags)]
}

function settingFindings({ component, gates, flags }: Settings, place: Place, subject: string, upgrade: Upgrade): Finding[] {
  return [...gateFindings(gates, place, subject, upgrade), ...(component === 'kube-apiserver' ? flagFindings(flags, place, subject, upgrade) : [])]
}

function gateFindings(gates: Settings['gates'], place: Place, subject: string, { from, to }: Upgrade): Finding[] {
  const [now, then] = [gatesOf(from), gatesOf(to)]
  return gates.flatMap(([name, value]): Finding[] => {
    if (Object.hasOwn(STAGE_GATES, name)) return []
    const gate = Object.hasOwn(then, name) ? then[name] : undefined
    const on = value === 'true'
    if (gate === undefined) {
      // A gate that neither release has may be that of another program.
      if (!Object.hasOwn(now, name)) return []
      return [
        {
          rule: 'removed-gate',
          level: 'blocking',
          subject,
          place,
          message: `${to} does not know the feature gate ${name}: the component does not start`,
          advice: `take ${name}=${value} out`,
        },
      ]
    }
    if (gate.locked && gate.preset !== on)
      return [
        {
          rule: 'locked-gate',
          level: 'blocking',
          subject,
          place,
          message: `${to} locks the feature gate ${name} to ${gate.preset}: the component does not start with ${name}=${value}`,
          advice: `take ${name}=${value} out`,
        },
      ]
    if (gate.stage === 'GA' || gate.stage === 'Deprecated')
      return [
        {
          rule: 'deprecated-gate',
          level: 'warning',
          subject,
          place,
          message: `the feature gate ${name} is ${gate.stage === 'GA' ? 'generally available' : 'deprecated'} in ${to}, and a later release drops it`,
          advice: gate.preset === on ? `take ${name}=${value} out: it is the default` : `do without ${name}=${value}`,
        },
      ]
    return []
  })
}

/** Plugins that a release no longer has. */
const GONE_PLUGINS: Readonly<Record<string, Release>> = { PodSecurityPolicy: '1.25', SecurityContextDeny: '1.30', PersistentVolumeLabel: '1.31' }

function flagFindings(flags: ReadonlyMap<string, string>, place: Place, subject: string, { to }: Upgrade): Finding[] {
  const blocking = (message: string, since?: Release): Finding => ({
    rule: 'removed-flag',
    level: 'blocking',
    subject,
    place,
    message,
    ...(since !== undefined && { since }),
  })
  const found: Finding[] = []
  for (const [name, value] of flags) {
    const isPluginFlag = name === 'enable-admission-plugins' || name === 'disable-admission-plugins' || name === 'admission-control'
    if (!Object.hasOwn(FLAGS, name) && compareReleases(to, DEFAULT_RELEASE) === 0)
      found.push(blocking(`kube-apiserver ${to} does not know --${name}: it does not start`))
    for (const plugin of isPluginFlag ? value.split(',') : []) {
      const gone = GONE_PLUGINS[plugin]
      if (gone !== undefined && compareReleases(gone, to) <= 0)
        found.push(blocking(`--${name}: ${to} does not know the admission plugin ${plugin}: kube-apiserver does not start`, gone))
      else if (plugin !== '' && !(isPluginName(plugin) && isPluginOf(to, plugin)) && gone === undefined && compareReleases(to, DEFAULT_RELEASE) === 0)
        found.push(blocking(`--${name}: ${to} does not know the admission plugin ${plugin}: kube-apiserver does not start`))
    }
    if (name === 'runtime-config')
      found.push(
        ...value
          .split(',')
          .flatMap(key => runtimeConfigFinding(key, to) ?? [])
          .map(message => blocking(message)),
      )
  }
  return found
}

/** A version that is asked for, and that no kind is left of. */
function runtimeConfigFinding(text: string, to: Release): string | undefined {
  const [key = '', value = 'true'] = text.split('=')
  const [group, version] = key.split('/')
  const kinds = LIFECYCLES[`${group}/${version}`]
  if (kinds === undefined || value === 'false') return undefined
  const isGone = Object.keys(kinds).every(kind => standingIn(to, { apiVersion: `${group}/${version}`, kind })?.state === 'removed')
  return isGone ? `--runtime-config: ${to} does not serve ${group}/${version}` : undefined
}

/** Versions of configurations that components read no more. Sources: KEP-785 and the changes of 1.23, 1.24, 1.28 and 1.29. */
const GONE_CONFIGURATIONS: Readonly<Record<string, Release>> = {
  'kubescheduler.config.k8s.io/v1beta1': '1.23',
  'kubescheduler.config.k8s.io/v1beta2': '1.28',
  'kubescheduler.config.k8s.io/v1beta3': '1.29',
  'audit.k8s.io/v1alpha1': '1.24',
  'audit.k8s.io/v1beta1': '1.24',
}

function configurationFindings({ apiVersion, kind }: KindName, place: Place, subject: string, to: Release): Finding[] {
  const gone = GONE_CONFIGURATIONS[apiVersion]
  if (gone === undefined || compareReleases(gone, to) > 0) return []
  const successor = `${apiVersion.slice(0, apiVersion.indexOf('/'))}/v1`
  return [
    {
      rule: 'removed-config',
      level: 'blocking',
      subject,
      place,
      message: `${apiVersion} ${kind} is not read from ${gone} on`,
      advice: `use ${successor}`,
      since: gone,
    },
  ]
}
