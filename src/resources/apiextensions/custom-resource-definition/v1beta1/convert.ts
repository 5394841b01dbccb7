import type * as v1 from '../../../../api/apiextensions/v1.types.ts'
import type * as v1beta1 from '../../../../api/apiextensions/v1beta1.types.ts'
import { boundCopies, MOST_VALUES } from '../../../../codec/value-bound.ts'
import type { Steps } from '../../../../lib/steps.ts'
import { clone } from '../../../../meta/equal.ts'
import { shareParts, type VersionParts } from '../spec.ts'

/** Fields of v1beta1 that a version has of its own, or the spec for all versions. Only the columns differ from v1. */
type OlderParts = Pick<v1beta1.CustomResourceDefinitionVersion, keyof VersionParts>

/**
 * Limit on the values of all versions that are read: several times the limit on writes, since other servers on the same
 * etcd have none.
 */
const MOST_READ = 8 * MOST_VALUES

/** Converts to v1, in which every version has its own parts. Throws 413 if the copies exceed the limit. */
export function* definitionToV1({
  spec: older,
  status,
  ...definition
}: v1beta1.CustomResourceDefinition): Steps<v1.CustomResourceDefinition> {
  const {
    version,
    versions,
    validation,
    subresources,
    additionalPrinterColumns,
    selectableFields,
    conversion,
    preserveUnknownFields,
    ...spec
  } = older
  // The oldest definitions have `version` instead of `versions`.
  const named = versions ?? (version ? [{ name: version, served: true, storage: true }] : null)
  const shared: OlderParts = {
    ...(validation && { schema: validation }),
    ...(subresources && { subresources }),
    ...(additionalPrinterColumns && { additionalPrinterColumns }),
    ...(selectableFields && { selectableFields }),
  }
  boundCopies(shared, named?.length ?? 0, MOST_READ)
  const newer: v1.CustomResourceDefinitionVersion[] = []
  for (const each of named ?? []) {
    newer.push(newerVersion({ ...each, ...(newer.length === 0 ? shared : clone(shared)) }))
    yield
  }
  return {
    ...definition,
    spec: {
      ...spec,
      versions: named && newer,
      ...(conversion && { conversion: newerConversion(conversion) }),
      ...(preserveUnknownFields && { preserveUnknownFields }),
    },
    status,
  }
}

function newerVersion({ additionalPrinterColumns, ...rest }: v1beta1.CustomResourceDefinitionVersion): v1.CustomResourceDefinitionVersion {
  const columns = additionalPrinterColumns?.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath }))
  return { ...rest, ...(columns && { additionalPrinterColumns: columns }) }
}

/** v1 moves the members of a webhook into `webhook`, which is absent if there are none. */
function newerConversion({
  strategy,
  webhookClientConfig,
  conversionReviewVersions,
}: v1beta1.CustomResourceConversion): v1.CustomResourceConversion {
  if (!webhookClientConfig && !conversionReviewVersions) return { strategy }
  const client = webhookClientConfig && { clientConfig: webhookClientConfig }
  return { strategy, webhook: { ...client, conversionReviewVersions: conversionReviewVersions ?? null } }
}

/**
 * Converts to v1beta1, in which parts that all versions share move to the spec. Throws 413 if the result is small but
 * could not be read back.
 */
export function fromV1({ spec: newer, status, ...definition }: v1.CustomResourceDefinition): v1beta1.CustomResourceDefinition {
  const { versions, hasNoList: _, shared, conversion, preserveUnknownFields = false, ...spec } = shareParts(newer)
  boundCopies(shared, versions.length)
  const { schema, ...parts } = shared
  return {
    ...definition,
    spec: {
      ...spec,
      ...(versions[0] && { version: versions[0].name }),
      ...olderParts(parts),
      ...(schema && { validation: schema }),
      versions: versions.map(olderParts),
      ...(conversion && { conversion: olderConversion(conversion) }),
      preserveUnknownFields,
    },
    status,
  }
}

/** The path of a column is `JSONPath` in v1beta1 and `jsonPath` in v1. */
function olderParts<T extends VersionParts>({ additionalPrinterColumns, ...rest }: T) {
  const columns = additionalPrinterColumns?.map(({ jsonPath, ...column }) => ({ ...column, JSONPath: jsonPath }))
  return { ...rest, ...(columns && { additionalPrinterColumns: columns }) }
}

const olderConversion = ({ strategy, webhook }: v1.CustomResourceConversion): v1beta1.CustomResourceConversion => ({
  strategy,
  ...(webhook?.clientConfig && { webhookClientConfig: webhook.clientConfig }),
  ...(webhook?.conversionReviewVersions && { conversionReviewVersions: webhook.conversionReviewVersions }),
})
