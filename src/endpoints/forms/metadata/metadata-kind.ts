import { JSON_TYPE, type Transform, YAML_TYPE } from '../../../codec/negotiate.ts'
import { failure, type StatusError } from '../../../meta/status.ts'
import type { Scope } from '../../scope.ts'

const refused = (message: string): StatusError => failure(406, 'NotAcceptable', message)

/** Metadata of an object is asked for as PartialObjectMetadata. */
export function checkAsksObject({ kind }: Transform, scope: Scope): void {
  if (kind === 'PartialObjectMetadataList')
    throw refused(`you requested PartialObjectMetadataList, but the requested object is not a list (*${goType(scope, '')})`)
}

/** Metadata of a list is asked for as PartialObjectMetadataList. */
export function checkAsksList({ kind }: Transform, scope: Scope): void {
  if (kind === 'PartialObjectMetadata') throw refused(`you requested PartialObjectMetadata, but the requested object is a list (*${goType(scope, 'List')})`)
}

/** Of what is not stored there are no lists of metadata. */
export const noPlainMetadata = (): StatusError => refused(`only the following media types are accepted: ${JSON_TYPE}, ${YAML_TYPE}`)

const goType = ({ dialect, served }: Scope, suffix: '' | 'List'): string => dialect.goType(served.version, suffix)
