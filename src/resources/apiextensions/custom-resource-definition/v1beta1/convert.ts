import { clone } from '../../../../meta/equal.ts'
import type { KubeObject } from '../../../../meta/object.ts'
import { type Conversion, type DefinitionSpec, type DefinitionVersion, type PrinterColumn, shareParts, type VersionParts } from '../spec.ts'

/** A column as v1beta1 spells it. */
type OlderColumn = Omit<PrinterColumn, 'jsonPath'> & { readonly JSONPath: string }

type Webhook = NonNullable<Conversion['webhook']>

/** What versions may have of their own, with the columns of v1beta1. */
type OlderParts = Omit<VersionParts, 'additionalPrinterColumns'> & { readonly additionalPrinterColumns?: readonly OlderColumn[] }

/** A spec of v1beta1: what all versions have alike stands at the spec itself. */
interface OlderSpec extends Omit<DefinitionSpec, 'versions' | 'conversion'>, Omit<OlderParts, 'schema'> {
  readonly version?: string
  readonly validation?: VersionParts['schema']
  readonly versions?: readonly (Omit<DefinitionVersion, keyof VersionParts> & OlderParts)[]
  readonly conversion?: {
    readonly strategy: string
    readonly webhookClientConfig?: Webhook['clientConfig']
    readonly conversionReviewVersions?: Webhook['conversionReviewVersions']
  }
}

const present = (values: object): object => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** To v1: every version has its own parts, which no other shares. */
export function toV1(definition: KubeObject): KubeObject {
  const { version, versions, validation, subresources, additionalPrinterColumns, selectableFields, conversion, preserveUnknownFields, ...spec } =
    definition.spec as OlderSpec
  const named = versions ?? (version ? [{ name: version, served: true, storage: true }] : null)
  const shared = present({ schema: validation, subresources, additionalPrinterColumns, selectableFields }) as OlderParts
  definition.spec = {
    ...spec,
    versions: named?.map((each, i) => newerParts({ ...each, ...(i === 0 ? shared : clone(shared)) })) ?? null,
    ...(conversion && { conversion: newerConversion(conversion) }),
    ...(preserveUnknownFields && { preserveUnknownFields }),
  }
  return definition
}

function newerParts<T extends OlderParts>({ additionalPrinterColumns, ...rest }: T): object {
  const columns = additionalPrinterColumns?.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath }))
  return { ...rest, ...(columns && { additionalPrinterColumns: columns }) }
}

function newerConversion({ strategy, webhookClientConfig, conversionReviewVersions }: NonNullable<OlderSpec['conversion']>): object {
  const webhook = present({ clientConfig: webhookClientConfig, conversionReviewVersions })
  return { strategy, ...(Object.keys(webhook).length > 0 && { webhook }) }
}

/** To v1beta1: what all versions have alike is moved to the spec. */
export function fromV1(definition: KubeObject): KubeObject {
  const { versions, hasNoList: _, shared, conversion, preserveUnknownFields = false, ...spec } = shareParts(definition.spec as DefinitionSpec)
  const { schema, ...parts } = shared
  definition.spec = {
    ...spec,
    ...(versions[0] && { version: versions[0].name }),
    ...olderParts(parts),
    ...(schema && { validation: schema }),
    versions: versions.map(olderParts),
    ...(conversion && { conversion: olderConversion(conversion) }),
    preserveUnknownFields,
  }
  return definition
}

function olderParts<T extends VersionParts>({ additionalPrinterColumns, ...rest }: T): object {
  const columns = additionalPrinterColumns?.map(({ jsonPath, ...column }) => ({ ...column, JSONPath: jsonPath }))
  return { ...rest, ...(columns && { additionalPrinterColumns: columns }) }
}

const olderConversion = ({ strategy, webhook }: Conversion): object => ({
  strategy,
  ...(webhook && present({ webhookClientConfig: webhook.clientConfig, conversionReviewVersions: webhook.conversionReviewVersions })),
})
