import { isPluginName, isPluginOf } from '../../admission/plugin-names.ts'
import type { JsonObject } from '../../api/meta/object.ts'
import { FLAGS } from '../../config/flag-table.ts'
import { gatesOf, STAGE_GATES } from '../../lifecycle/feature-gates.ts'
import { LIFECYCLES } from '../../lifecycle/kinds.ts'
import { compareReleases, DEFAULT_RELEASE, isSince, minorOf, type Release } from '../../lifecycle/release.ts'
import { type KindName, standingIn } from '../versions/old-versions.ts'
import { configurationFaults } from './component-configs.ts'
import { type Component, deprecatedFlagSince, goneFlagSince, goneValue } from './component-flags.ts'
import { goneGateSince } from './component-gates.ts'
import { gatePairs, heldConfigurations, type Settings, settingsOf } from './component-settings.ts'
import type { Upgrade } from './examine-object.ts'
import type { Finding, FindingLocation } from './finding.ts'

/** Reports gates, flags and configurations of components that an object runs, is, or contains in a ConfigMap. */
export function componentFindings(object: JsonObject, kind: KindName, place: FindingLocation, label: string, upgrade: Upgrade): Finding[] {
  return [
    ...settingsOf(object, kind).flatMap(settings => settingFindings(settings, place, `${label}: ${settings.component}`, upgrade)),
    ...configurationFaults(object, kind, upgrade.to).map(fault => ({
      ...fault,
      level: fault.rule === 'removed-config' ? ('blocking' as const) : ('warning' as const),
      subject: label,
      place,
    })),
    ...heldConfigurations(object, kind).flatMap(({ path, value, ...held }) =>
      componentFindings(value, held, place, `${label}: ${path}`, upgrade),
    ),
  ]
}

/** Reports the gates of the command line option `--gates`. */
export const givenGateFindings = (text: string, upgrade: Upgrade): Finding[] =>
  gateFindings(gatePairs(text), { source: '--gates' }, '--feature-gates', upgrade)

function settingFindings({ component, gates, flags }: Settings, place: FindingLocation, subject: string, upgrade: Upgrade): Finding[] {
  return [
    ...gateFindings(gates, place, subject, upgrade),
    ...flagFindings(component, flags, place, subject, upgrade.to),
    ...(component === 'kube-apiserver' ? serverFlagFindings(flags, place, subject, upgrade.to) : []),
  ]
}

/** Reports flags of a component that a release does not have or has deprecated. */
function flagFindings(component: Component, flags: Settings['flags'], place: FindingLocation, subject: string, to: Release): Finding[] {
  return [...flags].flatMap(([name, value]): Finding[] => {
    const gone = goneFlagSince(component, name, to)
    if (gone !== undefined)
      return [
        {
          rule: 'removed-flag',
          level: 'blocking',
          subject,
          place,
          message: `${component} ${to} does not know --${name}: it does not start`,
          advice: `take --${name} out`,
          since: gone,
        },
      ]
    const wrong = goneValue(name, value, to)
    if (wrong !== undefined) {
      const { gone: since, advice } = wrong
      const message = `${component} ${to} does not start with --${name}=${value}`
      return [{ rule: 'removed-flag', level: 'blocking', subject, place, message, ...(advice !== undefined && { advice }), since }]
    }
    const deprecated = deprecatedFlagSince(component, name, to)
    if (deprecated === undefined) return []
    const message = `--${name} is deprecated${deprecated === OLDEST_TAG ? '' : ` since ${deprecated}`}, and a later release drops it`
    return [{ rule: 'deprecated-flag', level: 'warning', subject, place, message, ...(deprecated !== OLDEST_TAG && { since: deprecated }) }]
  })
}

/** Oldest release in the tables. A deprecation that it lists may be older. */
const OLDEST_TAG: Release = '1.16'

/**
 * Gates of the stages themselves (`AllAlpha`) are skipped, and gates that no release has: the setting may belong to
 * another program.
 */
function gateFindings(gates: Settings['gates'], place: FindingLocation, subject: string, { to }: Upgrade): Finding[] {
  const then = gatesOf(to)
  return gates.flatMap(([name, value]): Finding[] => {
    if (Object.hasOwn(STAGE_GATES, name)) return []
    const gate = Object.hasOwn(then, name) ? then[name] : undefined
    const on = value === 'true'
    if (gate === undefined) {
      const since = goneGateSince(name, to)
      // A gate that no release has may belong to another program.
      if (since === undefined) return []
      return [
        {
          rule: 'removed-gate',
          level: 'blocking',
          subject,
          place,
          message: `${to} does not know the feature gate ${name}: the component does not start`,
          advice: `take ${name}=${value} out`,
          since,
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

/** Admission plugins, and the releases that removed them. */
const GONE_PLUGINS: Readonly<Record<string, Release>> = {
  PodSecurityPolicy: '1.25',
  SecurityContextDeny: '1.30',
  PersistentVolumeLabel: '1.31',
  PodGroupWorkloadExists: '1.37',
}

/**
 * Flags and plugins that no table lists are findings only if the target is this program's default release, whose names
 * are known completely.
 */
function serverFlagFindings(flags: Settings['flags'], place: FindingLocation, subject: string, to: Release): Finding[] {
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
    if (
      !Object.hasOwn(FLAGS, name) &&
      compareReleases(to, DEFAULT_RELEASE) === 0 &&
      goneFlagSince('kube-apiserver', name, to) === undefined
    )
      found.push(blocking(`kube-apiserver ${to} does not know --${name}: it does not start`))
    for (const plugin of isPluginFlag ? value.split(',') : []) {
      const gone = GONE_PLUGINS[plugin]
      if (gone !== undefined && compareReleases(gone, to) <= 0)
        found.push(blocking(`--${name}: ${to} does not know the admission plugin ${plugin}: kube-apiserver does not start`, gone))
      else if (
        plugin !== '' &&
        !(isPluginName(plugin) && isPluginOf(to, plugin)) &&
        gone === undefined &&
        compareReleases(to, DEFAULT_RELEASE) === 0
      )
        found.push(blocking(`--${name}: ${to} does not know the admission plugin ${plugin}: kube-apiserver does not start`))
    }
    if (name === 'emulated-version' || name === 'min-compatibility-version')
      found.push(...tooOld(name, value, to).map(message => blocking(message)))
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

/** Number of minor releases before its own that kube-apiserver emulates and is compatible with, from 1.34 on. */
const EMULATED = 3

/** Reports a release that is too old for kube-apiserver to emulate, or to be compatible with. */
function tooOld(flag: string, value: string, to: Release): string[] {
  const minor = /^(?:kube=)?v?1\.(\d+)/.exec(value.split(',').at(-1) ?? '')?.[1]
  const floor = minorOf(to) - EMULATED
  if (minor === undefined || !isSince(to, '1.34') || Number(minor) >= floor) return []
  return [`--${flag}: ${to} accepts 1.${floor} to ${to}, not 1.${minor}: kube-apiserver does not start`]
}

/** Reports a version in `--runtime-config` of which no kind is left. */
function runtimeConfigFinding(text: string, to: Release): string | undefined {
  const [key = '', value = 'true'] = text.split('=')
  const [group, version] = key.split('/')
  const kinds = LIFECYCLES[`${group}/${version}`]
  if (kinds === undefined || value === 'false') return undefined
  const isGone = Object.keys(kinds).every(kind => standingIn(to, { apiVersion: `${group}/${version}`, kind })?.state === 'removed')
  return isGone ? `--runtime-config: ${to} does not serve ${group}/${version}` : undefined
}
