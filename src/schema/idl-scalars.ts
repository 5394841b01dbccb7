import type { ScalarSchema } from './schema.ts'

const META_PACKAGE = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Scalars and special JSON forms by their names in declarations. */
export const SCALARS: Readonly<Record<string, ScalarSchema>> = {
  string: { type: 'string', goType: 'string' },
  UID: { type: 'string', goType: 'types.UID' },
  bool: { type: 'boolean', goType: 'bool' },
  int32: { type: 'integer', goType: 'int32' },
  int64: { type: 'integer', goType: 'int64' },
  uint32: { type: 'integer', goType: 'uint32' },
  uint64: { type: 'integer', goType: 'uint64' },
  double: { type: 'number', goType: 'float64' },
  float: { type: 'number', goType: 'float32' },
  bytes: { type: 'bytes', goType: '[]uint8' },
  Time: { type: 'time', goType: 'v1.Time', definition: `${META_PACKAGE}.Time` },
  MicroTime: { type: 'microTime', goType: 'v1.MicroTime', definition: `${META_PACKAGE}.MicroTime` },
  Duration: { type: 'duration', goType: 'v1.Duration', definition: `${META_PACKAGE}.Duration` },
  Quantity: { type: 'quantity', goType: 'resource.Quantity', definition: 'io.k8s.apimachinery.pkg.api.resource.Quantity' },
  IntOrString: { type: 'intOrString', goType: 'intstr.IntOrString', definition: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString' },
  FieldsV1: { type: 'raw', goType: 'v1.FieldsV1', definition: `${META_PACKAGE}.FieldsV1` },
  JSON: { type: 'json', goType: 'v1.JSON', definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON' },
  RawExtension: { type: 'raw', goType: 'runtime.RawExtension', definition: 'io.k8s.apimachinery.pkg.runtime.RawExtension' },
}
