/** `@ng-gym/testing`: what tests and benchmark authors use. Never imported by code that ships. */
export * from "./golden.ts";
export * from "./golden-recipes.ts";
