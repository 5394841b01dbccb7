import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../../codec/accept-header.ts'
import type { FormName, StructSchema } from '../../schema/schema.ts'
import { DELETE_COLLECTION_PARAMETERS, LIST_PARAMETERS, type Parameter, resourceVersion } from './parameters.ts'

/** Differences between the operations of built-in kinds and custom resources, as upstream documents them. */
export interface OperationStyle {
  /** Media types of responses that are not streamed. */
  readonly produces: readonly string[]
  /** Media types of lists that can be watched. */
  readonly streams: readonly string[]
  /** Media types of bodies other than patches. */
  readonly consumes: readonly string[]
  /** Parameters of a GET of one object. */
  readonly readParameters: readonly Parameter[]
  readonly deleteCollectionParameters: readonly Parameter[]
  /** Whether deletecollection accepts DeleteOptions as its body. */
  readonly collectionOptions: boolean
  /** Whether a patch may create an object, as an apply does. */
  readonly patchCreates: boolean
  /** Whether the deprecated paths below `watch/` exist. */
  readonly watchPaths: boolean
  /** Whether the group and its versions have discovery documents. */
  readonly discoveryPaths: boolean
  /** Whether the items and the metadata of lists have the default `{}`. */
  readonly listDefaults: boolean
  /**
   * Whether operations on a subresource of another kind (scale) have that kind and its patch types. Otherwise they have
   * those of the parent.
   */
  readonly ownViews: boolean
}

const TEXT_TYPES = [JSON_TYPE, YAML_TYPE]
/** Media types of built-in kinds, in the order of upstream's documents. Custom resources have no protobuf form. */
export const BUILT_IN_TYPES = [...TEXT_TYPES, PROTOBUF_TYPE]

const BUILT_IN: OperationStyle = {
  produces: BUILT_IN_TYPES,
  streams: [...BUILT_IN_TYPES, `${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`],
  // Upstream declares that any media type is accepted.
  consumes: ['*/*'],
  readParameters: [],
  deleteCollectionParameters: DELETE_COLLECTION_PARAMETERS,
  collectionOptions: true,
  patchCreates: true,
  watchPaths: true,
  discoveryPaths: true,
  listDefaults: true,
  ownViews: true,
}

/** Source: buildRoute of k8s.io/apiextensions-apiserver's OpenAPI builder. */
const CUSTOM: OperationStyle = {
  produces: TEXT_TYPES,
  streams: TEXT_TYPES,
  consumes: TEXT_TYPES,
  readParameters: [resourceVersion],
  deleteCollectionParameters: LIST_PARAMETERS,
  collectionOptions: false,
  patchCreates: false,
  watchPaths: false,
  discoveryPaths: false,
  listDefaults: false,
  ownViews: false,
}

const STYLES: Readonly<Record<FormName, OperationStyle>> = { typed: BUILT_IN, unstructured: CUSTOM }

/** Returns the style of a kind's operations, by its schema. */
export const operationStyle = ({ form }: StructSchema): OperationStyle => STYLES[form.name]
