/** What is said to and by a webhook that converts objects. */
export const conversionReviewTypes = `
type ConversionRequest
  uid 1 UID
  desiredAPIVersion 2 string
  objects 3 []RawExtension atomic

type ConversionResponse
  uid 1 UID
  convertedObjects 2 []RawExtension atomic
  result 3 meta.Status

type ConversionReview typemeta
  request 1 *ConversionRequest?
  response 2 *ConversionResponse?
`
