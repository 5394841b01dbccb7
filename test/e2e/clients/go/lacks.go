package main

import "fmt"

// lacks tells what of asked is not in got, with its path: "" where all is there. Mappings may have more members, lists not.
func lacks(asked, got any) string {
	switch asked := asked.(type) {
	case map[string]any:
		of, _ := got.(map[string]any)
		for key, value := range asked {
			if why := lacks(value, of[key]); why != "" {
				return "." + key + why
			}
		}
	case []any:
		of, _ := got.([]any)
		if len(of) != len(asked) {
			return fmt.Sprintf(": %d items, not %d", len(of), len(asked))
		}
		for i := range asked {
			if why := lacks(asked[i], of[i]); why != "" {
				return fmt.Sprintf("[%d]%s", i, why)
			}
		}
	default:
		// By their text: a number may be of another type.
		if fmt.Sprint(asked) != fmt.Sprint(got) {
			return fmt.Sprintf(": %v, not %v", got, asked)
		}
	}
	return ""
}
