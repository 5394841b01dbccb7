import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { age } from '../../../meta/age.ts'
import { isMemberExactly } from '../../../meta/empty-members.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { staticNameWarnings, withStaticNames } from '../static-names.ts'
import { admissionVersion } from '../version.ts'
import type { WebhookConfiguration } from './tolerated.ts'
import { validateWebhooks } from './validation.ts'

const table: TableDefinition<WebhookConfiguration> = {
  columns: [nameColumn, column('Webhooks', 'Number of webhooks.', 0, 'integer'), ageColumn],
  cells: ({ metadata, webhooks }, now) => [metadata.name ?? '', (webhooks ?? []).length, age(metadata.creationTimestamp, now)],
}

const strategy: Strategy<WebhookConfiguration> = {
  allowUnconditionalUpdate: false,
  metaRounds: ['whole'],
  plainFinalizers: true,
  prepare(next, old) {
    if (!old) next.metadata.generation = 1
    else if (!isMemberExactly(next, old, 'webhooks')) next.metadata.generation = (old.metadata.generation ?? 0) + 1
  },
  validate: withStaticNames(validateWebhooks),
  warnings: staticNameWarnings,
}

/** Defines a kind of webhook configuration. The two kinds differ only in types and defaults. */
export function webhookConfiguration(kind: string, setDefaults: (object: WebhookConfiguration) => void): ResourceDefinition {
  const singular = kind.toLowerCase()
  const v1: Version<WebhookConfiguration> = { ...admissionVersion(kind, { plural: `${singular}s`, singular }), setDefaults, table }
  return defineResource<WebhookConfiguration>({
    scope: 'Cluster',
    versions: [v1],
    hub: v1,
    storage: { prefix: `${singular}s`, version: v1 },
    strategy,
  })
}
