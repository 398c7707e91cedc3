// The inspector's browser side: what the bundler understands and the compiler does not.
declare module "*.css";
