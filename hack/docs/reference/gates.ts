import { isBuiltPlugin, isOnByDefault, isPluginOf, pluginsInOrder } from '../../../src/admission/plugin-names.ts'
import { type GateEffect, gatesOf } from '../../../src/lifecycle/feature-gates.ts'
import { DEFAULT_RELEASE } from '../../../src/lifecycle/release.ts'
import { byName, code, table } from './tables.ts'

const EFFECTS: Readonly<Record<GateEffect, string>> = {
  read: 'both ways',
  kinds: 'accepted: its kinds are stored, validated and served, without further effect',
  elsewhere: 'accepted: other components act on it',
  fixed: 'one way only',
}

/** `docs/reference/feature-gates.md`: the gates of the default release. */
export function gatesPage(): string {
  const rows = byName(gatesOf(DEFAULT_RELEASE)).map(([name, { stage, preset, locked, effect, built }]) => [
    code(name),
    stage,
    `${preset ? 'on' : 'off'}${locked ? ', locked' : ''}`,
    effect === 'fixed' ? `${EFFECTS.fixed}: ${built ? 'on' : 'off'}` : EFFECTS[effect],
  ])
  return `# Feature gates

The gates of release ${DEFAULT_RELEASE}, for \`--feature-gates=NAME=true,NAME=false\`. With \`--emulated-version\` they are those of the emulated release, with its stages and defaults. \`AllAlpha\` and \`AllBeta\` switch a stage.

"Both ways" means that the server has the behaviour with the gate and without it. A gate that works one way only is refused when it is set the other way.

${table(['Gate', 'Stage', 'Default', 'Here'], rows)}
`
}

/** `docs/reference/admission-plugins.md`. */
export function pluginsPage(): string {
  const rows = pluginsInOrder(name => isPluginOf(DEFAULT_RELEASE, name)).map(name => [
    code(name),
    isOnByDefault(name) ? 'on' : 'off',
    isBuiltPlugin(name) ? '' : 'does nothing, as in kube-apiserver',
  ])
  return `# Admission plugins

The admission plugins of release ${DEFAULT_RELEASE} in the order in which they run. \`--enable-admission-plugins\` and \`--disable-admission-plugins\` switch them.

${table(['Plugin', 'Default', ''], rows)}
`
}
