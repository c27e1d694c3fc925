//! What runs models.

mod interface;
#[cfg(feature = "onnxruntime")]
mod onnxruntime;
mod options;
mod panics;
mod rten;

pub(super) use self::interface::{Engine, File, Input, NotLoaded, Reason, table};
pub use self::options::EngineOptions;

impl EngineOptions {
    /// Loads a model with the engine that was chosen.
    ///
    /// # Errors
    /// The engine is not there, or cannot run the model.
    pub(super) fn load(&self, file: File<'_>) -> Result<Box<dyn Engine>, NotLoaded> {
        self.check().map_err(NotLoaded::Engine)?;
        #[cfg(feature = "onnxruntime")]
        if self.is_onnxruntime() {
            let model = onnxruntime::OnnxRuntime::load(file, self.onnxruntime_lib())?;
            return Ok(Box::new(model));
        }
        Ok(Box::new(rten::Rten::load(file)?))
    }
}
