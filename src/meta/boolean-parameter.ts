/**
 * Whether a boolean query parameter is true: given, with any value but `false` and `0`. Source:
 * Convert_Slice_string_To_bool in k8s.io/apimachinery.
 */
export const isTrueParameter = (value: string | null): boolean => value !== null && !/^(?:false|0)$/i.test(value)
