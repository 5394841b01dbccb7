import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'

/** Where manifests/ is. */
export const MANIFESTS = join(import.meta.dirname, '..', '..', 'manifests')

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly record?: string; readonly alert?: string; readonly expr: string }[] }[]
}
interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

const read = (file: string): string => readFileSync(join(MANIFESTS, file), 'utf8')

export const dashboard = (): Dashboard => JSON.parse(read('grafana/deprecated-apis.json'))

export const rules = (): RuleFile['groups'][number]['rules'] =>
  ['deprecations.yaml', 'apiserver.yaml'].flatMap(file =>
    (load(read(`prometheus/${file}`)) as RuleFile).groups.flatMap(group => group.rules),
  )

/** Expressions of the dashboard as Prometheus gets them: with the variables in their place. */
export const dashboardExpressions = (): string[] =>
  dashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll(/\$(?:group|removed_release)\b/g, '.*')))

/** Names of metrics, and of what rules record, that an expression asks for. */
export const metricsOf = (expression: string): string[] =>
  expression.match(/\b(?:apiserver_|kubernetes_|hidden_metrics|[a-z_]+:)[a-z0-9_:]*/g) ?? []
